package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.file.OpenFiles;
import io.verbena.nfs41.server.internal.file.WriteVerifier;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.nfs41.server.internal.vfs.Intercepted.Interceptor;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** New objects, on file systems and at moments that are not the best. */
class NewObjectsTest {
    private static final Interceptor AS_IS = (target, method, real) -> real.make();

    @TempDir
    Path directory;

    private final WriteVerifier verifier = new WriteVerifier(7);
    private final Set<Inode> open = new HashSet<>();
    private Interceptor interceptor = AS_IS;
    private ExportTree tree;
    private OpenFiles files;
    private TreeChanges changes;
    private boolean isRoot;

    @BeforeEach
    void export() throws Exception {
        tree = new ExportTree(
                directory,
                path -> Intercepted.directory(
                        Directories.open(path), (target, method, real) -> interceptor.call(target, method, real)),
                new SipHash(new byte[SipHash.KEY_BYTES], 0),
                2,
                16,
                new SystemRuntime());
        files = new OpenFiles(tree, 0, verifier, open::contains, Runnable::run, new SystemRuntime());
        isRoot = Integer.valueOf(0).equals(Files.getAttribute(directory, "unix:uid"));
        changes = new TreeChanges(tree, new AttributeChanger(isRoot, true), false, files::removed, new SystemRuntime());
    }

    @AfterEach
    void close() {
        files.close();
        tree.close();
    }

    /** The call of that name finds no descriptor free. */
    private static Interceptor lacking(String call) {
        return (target, method, real) -> {
            if (method.equals(call)) {
                throw new ErrnoException(null, Errno.EMFILE.number());
            }
            return real.make();
        };
    }

    private TreeChanges.Changed makeFile(AttributeSettings settings, Caller caller) throws IOException {
        return changes.createFile(tree.root(), "new", settings, caller);
    }

    private TreeChanges.Changed makeDirectory(AttributeSettings settings, Caller caller) throws IOException {
        return changes.createDirectory(tree.root(), "new", settings, caller);
    }

    private void assertRefusedAndNotThere(Status expected, ThrowingCallable making) {
        assertThatThrownBy(making).isInstanceOfSatisfying(IOException.class, e -> assertThat(IoErrors.status(e))
                .isEqualTo(expected));
        assertThat(directory).isEmptyDirectory();
        assertThat(files.count()).isZero();
        assertThat(verifier.value()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"createFile", "open", "duplicate"})
    void shouldLeaveNoFileWhereDescriptorsAreLacking(String call) {
        interceptor = lacking(call);
        assertRefusedAndNotThere(Status.NFS4ERR_DELAY, () -> makeFile(AttributeSettings.NONE, Caller.ROOT));
    }

    @Test
    void shouldLeaveNoDirectoryWhereDescriptorsAreLacking() {
        interceptor = lacking("openDirectory");
        assertRefusedAndNotThere(Status.NFS4ERR_DELAY, () -> makeDirectory(AttributeSettings.NONE, Caller.ROOT));
    }

    @Test
    void shouldLeaveNoSymbolicLinkWhereDescriptorsAreLacking() {
        interceptor = lacking("refer");
        assertRefusedAndNotThere(
                Status.NFS4ERR_DELAY,
                () -> changes.createSymbolicLink(tree.root(), "new", "text", AttributeSettings.NONE, Caller.ROOT));
    }

    @Test
    void shouldLeaveNothingWhereTheOwnerCannotBeGiven() throws Exception {
        Assumptions.assumeTrue(isRoot, "only root gives files away");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Caller nobody = new Caller(-1, 0, List.of());
        assertRefusedAndNotThere(Status.NFS4ERR_BADOWNER, () -> makeDirectory(AttributeSettings.NONE, nobody));
        assertRefusedAndNotThere(Status.NFS4ERR_BADOWNER, () -> makeFile(AttributeSettings.NONE, nobody));
    }

    @Test
    void shouldLeaveNoFileWhereItsSizeCannotBeHad() {
        AttributeSettings huge = new AttributeSettings(null, null, null, Long.MAX_VALUE, null, null, false);
        assertThatThrownBy(() -> makeFile(huge, Caller.ROOT)).isInstanceOf(IOException.class);
        assertThat(directory).isEmptyDirectory();
        assertThat(files.count()).isZero();
    }

    @Test
    void shouldNotRemoveWhatAnotherHasPutInItsPlace() throws Exception {
        interceptor = (target, method, real) -> {
            if (method.equals("openDirectory")) {
                Files.delete(directory.resolve("new"));
                Files.createDirectory(directory.resolve("second")); // so that the number is not given out again
                Files.writeString(directory.resolve("new"), "another's");
                throw new ErrnoException(null, Errno.EMFILE.number());
            }
            return real.make();
        };
        assertThatThrownBy(() -> makeDirectory(AttributeSettings.NONE, Caller.ROOT))
                .isInstanceOf(IOException.class);
        assertThat(directory.resolve("new")).hasContent("another's");
    }

    /** Linux asks for permission when a file is opened: who has made it may write, whatever its mode is. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldKeepAFileOpenThatItsModeForbidsToOpen() throws Exception {
        AtomicBoolean isReadOnly = new AtomicBoolean();
        interceptor = (target, method, real) -> {
            isReadOnly.compareAndSet(false, method.equals("setMode"));
            if (isReadOnly.get() && method.equals("open")) {
                throw new AccessDeniedException("new");
            }
            return real.make();
        };
        Inode made = makeFile(AttributeSettings.NONE.withMode(0444), Caller.ROOT)
                .object()
                .inode();
        Inode another = lookUp("another");
        assertThatThrownBy(() -> files.with(another, false, OpenFile::size)).isInstanceOf(AccessDeniedException.class);
        open.add(made);
        files.hold(made, true); // whatever there is no room for is closed
        files.with(made, true, file -> {
            file.write(ByteBuffer.wrap(new byte[3]), 0);
            return verifier.force(file, true);
        });
        assertThat(directory.resolve("new")).hasSize(3);

        open.remove(made);
        files.hold(made, false);
        assertThat(files.count()).isZero();
    }

    /** Each takes two descriptors, which a client alone could use up. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldKeepABoundedNumberOfFilesOpenThatTheirModeForbidsToOpen() throws Exception {
        interceptor = (target, method, real) -> {
            if (method.equals("open") && (((FileReference) target).status().mode() & 0200) == 0) {
                throw new AccessDeniedException("new");
            }
            return real.make();
        };
        Inode last = null;
        for (int i = 0; i < 1030; i++) {
            last = changes.createFile(tree.root(), "new" + i, AttributeSettings.NONE.withMode(0444), Caller.ROOT)
                    .object()
                    .inode();
            open.add(last);
            files.hold(last, true);
        }
        assertThat(files.count()).isEqualTo(1024);
        files.with(last, true, file -> {
            file.write(ByteBuffer.wrap(new byte[3]), 0);
            return null;
        });
        assertThat(directory.resolve("new1029")).hasSize(3);
    }

    private Inode lookUp(String name) throws IOException {
        Files.writeString(directory.resolve(name), "");
        return tree.lookup(tree.root(), name, Caller.ROOT).inode();
    }

    /** One mode for all, and no owners: vfat, exFAT, CIFS. */
    private static final Interceptor WITHOUT_MODES = (target, method, real) -> {
        if (method.equals("setOwner")) {
            throw new ErrnoException(null, Errno.EPERM.number());
        }
        if (method.equals("setMode")) {
            return null;
        }
        Object result = real.make();
        return result instanceof FileStatus status ? Intercepted.withMode(status, status.mode() | 0755) : result;
    };

    @Test
    void shouldTakeWhatAFileSystemWithoutModesGives() throws Exception {
        interceptor = WITHOUT_MODES;
        AttributeSettings settings = AttributeSettings.NONE.withMode(06700).withOwner(4711, 4711);
        for (String name : List.of("first", "second")) {
            FoundObject made = changes.createDirectory(tree.root(), name, settings, Caller.ROOT)
                    .object();
            assertThat(made.attributes().permissions()).isEqualTo(0755);
        }
        FoundObject file =
                changes.createFile(tree.root(), "file", settings, Caller.ROOT).object();
        assertThat(file.attributes().permissions()).isEqualTo(0755);
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder("first", "second", "file");
    }

    /**
     * Another one has been put in its place: the file system has modes, and gives new directories the mode asked for.
     */
    @Test
    void shouldRefuseADirectoryThatOthersMayUse() {
        interceptor = (target, method, real) -> {
            Object result = real.make();
            return result instanceof FileStatus status && status.isDirectory()
                    ? Intercepted.withMode(status, status.mode() | 0755)
                    : result;
        };
        assertRefusedAndNotThere(Status.NFS4ERR_STALE, () -> makeDirectory(AttributeSettings.NONE, Caller.ROOT));
    }
}
