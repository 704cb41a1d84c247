package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.file.OpenFiles;
import io.verbena.nfs41.server.internal.file.WriteVerifier;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A host without descriptors to spare, as long as files or directories are kept open. */
class DescriptorsTest {
    @TempDir
    Path directory;

    private final Set<Inode> open = new HashSet<>();
    private final Deque<Runnable> closings = new ArrayDeque<>();
    private Errno errno = Errno.EMFILE;
    private String lacking = "";
    private ExportTree tree;
    private OpenFiles files;

    @BeforeEach
    void export() throws Exception {
        tree = new ExportTree(
                directory,
                path -> Intercepted.directory(Directories.open(path), this::intercept),
                new SipHash(new byte[SipHash.KEY_BYTES], 0),
                2,
                16,
                new SystemRuntime());
        files = new OpenFiles(tree, 16, new WriteVerifier(7), open::contains, closings::add, new SystemRuntime());
        Files.writeString(directory.resolve("kept"), "content");
        Files.writeString(directory.resolve("file"), "content");
        Files.createDirectory(directory.resolve("dir"));
    }

    @AfterEach
    void close() {
        files.close();
        tree.close();
    }

    private Object intercept(Object target, String method, Intercepted.Call real) throws Throwable {
        if (method.equals(lacking) && files.count() + tree.openDirectories() > 0) {
            throw new ErrnoException(null, errno.number());
        }
        return real.make();
    }

    private Inode found(String name) throws IOException {
        return tree.lookup(tree.root(), name, Caller.ROOT).inode();
    }

    private void use(Inode file) throws IOException {
        int unused = files.with(file, false, each -> each.read(ByteBuffer.allocate(1), 0));
    }

    private void assertDelayed(Inode file) {
        assertThatThrownBy(() -> use(file))
                .isInstanceOfSatisfying(
                        IOException.class, e -> assertThat(IoErrors.status(e)).isEqualTo(Status.NFS4ERR_DELAY));
    }

    @ParameterizedTest
    @CsvSource({"refer,EMFILE", "open,EMFILE", "duplicate,EMFILE", "open,ENFILE"})
    void shouldCloseAFileThatNobodyUsesToOpenAnother(String call, Errno cause) throws Exception {
        use(found("kept"));
        lacking = call;
        errno = cause;
        use(found("file"));
        assertThat(files.count()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"createFile", "open"})
    void shouldCloseAFileThatNobodyUsesToMakeAnother(String call) throws Exception {
        use(found("kept"));
        lacking = call;
        boolean isRoot = Integer.valueOf(0).equals(Files.getAttribute(directory, "unix:uid"));
        Inode made = new TreeChanges(
                        tree, new AttributeChanger(isRoot, true), false, files::removed, new SystemRuntime())
                .createFile(tree.root(), "new", AttributeSettings.NONE, Caller.ROOT)
                .object()
                .inode();
        lacking = "";
        use(made);
        assertThat(files.count()).isEqualTo(1);
    }

    @Test
    void shouldCloseAFileThatNobodyUsesToReadADirectory() throws Exception {
        use(found("kept"));
        lacking = "openDirectory";
        tree.pin(found("dir")).close();
        assertThat(files.count()).isZero();
    }

    @Test
    void shouldCloseADirectoryThatNobodyUsesToOpenAFile() throws Exception {
        tree.pin(found("dir")).close();
        lacking = "open";
        use(found("file"));
        assertThat(tree.openDirectories()).isZero();
    }

    @Test
    void shouldCloseNoFileThatAClientHasOpen() throws Exception {
        Inode kept = found("kept");
        open.add(kept);
        use(kept);
        lacking = "open";
        assertDelayed(found("file"));
        assertThat(files.count()).isEqualTo(1);
    }

    /** It waits for the disk, which the thread of a request must not do. */
    @Test
    void shouldLeaveAFileWithUnforcedDataToAnotherThread() throws Exception {
        Inode kept = found("kept");
        files.<Void>with(kept, true, each -> {
            each.write(ByteBuffer.allocate(1), 0);
            return null;
        });
        lacking = "open";
        assertDelayed(found("file"));
        assertThat(closings).hasSize(1);
        closings.remove().run();
        use(found("file"));
    }
}
