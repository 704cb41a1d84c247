package io.verbena.nfs41.server.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.Intercepted;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.runtime.SystemRuntime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How objects are brought to stable storage that this process cannot open. */
class TreeStorageTest {
    private static final String STORED = "brought to stable storage";

    @TempDir
    Path directory;

    private final WriteVerifier verifier = new WriteVerifier(7);
    private final List<String> forced = new ArrayList<>();
    private IOException whereOpened;
    private IOException whereForced;
    private boolean hasSyncfs = true;
    private ExportTree tree;
    private OpenFiles files;
    private Durability durability;

    @BeforeEach
    void export() throws Exception {
        tree = new ExportTree(
                directory,
                path -> Intercepted.directory(Directories.open(path), this::intercept),
                new SipHash(new byte[SipHash.KEY_BYTES], 0),
                2,
                16,
                new SystemRuntime());
        files = new OpenFiles(tree, 4, verifier, inode -> false, Runnable::run, new SystemRuntime());
        durability = new Durability(
                new TreeStorage(tree, files, verifier), true, verifier, Runnable::run, new SystemRuntime());
    }

    @AfterEach
    void close() {
        files.close();
        tree.close();
    }

    private Object intercept(Object target, String method, Intercepted.Call real) throws Throwable {
        switch (method) {
            case "sync" -> {
                // a directory that cannot be read is opened anew to be forced
                if (whereOpened != null && forced.isEmpty()) {
                    throw whereOpened;
                }
                forced.add("directory");
                return null;
            }
            case "syncFileSystem" -> {
                if (hasSyncfs) {
                    forced.add("file system");
                }
                if (whereForced != null) {
                    throw whereForced;
                }
                return hasSyncfs;
            }
            case "open" -> {
                if (whereOpened != null) {
                    throw whereOpened;
                }
                return real.make();
            }
            default -> {
                return real.make();
            }
        }
    }

    private CompletableFuture<Void> persist(String name) throws Exception {
        return durability.persist(
                durability.losses(), tree.lookup(tree.root(), name, Caller.ROOT).inode());
    }

    private void assertAllIsForcedFor(IOException failure) throws Exception {
        whereOpened = failure;
        Files.createDirectories(directory.resolve("dir"));
        Files.writeString(directory.resolve("file"), "content");
        assertThat(persist("dir")).isCompleted();
        assertThat(forced).containsExactly("file system");
        forced.clear();
        assertThat(persist("file")).isCompleted();
        assertThat(forced).containsExactly("file system");
        forced.clear();
        assertThat(verifier.value()).isEqualTo(7);
    }

    @Test
    void shouldForceTheFileSystemForWhatThisProcessMayNotOpen() throws Exception {
        assertAllIsForcedFor(new AccessDeniedException("dir"));
    }

    @Test
    void shouldForceTheFileSystemWhereDescriptorsAreLacking() throws Exception {
        assertAllIsForcedFor(new ErrnoException("dir", Errno.EMFILE.number()));
    }

    /** Once for each: what helps against the one does not help against the other. */
    @Test
    void shouldTellWhyItForcesTheFileSystem() throws Exception {
        Files.writeString(directory.resolve("file"), "content");
        String lacking = loggedWhere(new ErrnoException("file", Errno.EMFILE.number()));
        assertThat(lacking).contains("no more file descriptors", STORED).contains("Too many open files");
        assertThat(loggedWhere(new ErrnoException("file", Errno.EMFILE.number())))
                .doesNotContain(STORED);
        assertThat(loggedWhere(new NfsError(Status.NFS4ERR_DELAY))).doesNotContain(STORED);
        assertThat(loggedWhere(new AccessDeniedException("file"))).contains("may not open some of the exported files");
    }

    private String loggedWhere(IOException failure) throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            whereOpened = failure;
            assertThat(persist("file")).isCompleted();
        } finally {
            System.setErr(before);
        }
        return log.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldForceTheDirectoryOfAnObjectWhereThereIsNoCallForTheFileSystem() throws Exception {
        hasSyncfs = false;
        whereOpened = new AccessDeniedException("file");
        Files.writeString(directory.resolve("file"), "content");
        forced.add("before"); // the directory itself can be forced
        assertThat(persist("file")).isCompleted();
        assertThat(forced).containsExactly("before", "directory");
        assertThat(verifier.value()).isEqualTo(7);
    }

    @Test
    void shouldNotChangeTheVerifierWhereNothingCouldBeForced() throws Exception {
        hasSyncfs = false;
        whereOpened = new AccessDeniedException("file");
        Files.writeString(directory.resolve("file"), "content");
        assertThat(persist("file")).isCompletedExceptionally();
        assertThat(verifier.value()).isEqualTo(7);
    }

    @Test
    void shouldChangeTheVerifierWhereTheFileSystemCouldNotBeForced() throws Exception {
        whereOpened = new AccessDeniedException("dir");
        whereForced = new ErrnoException(null, Errno.EIO.number());
        Files.createDirectory(directory.resolve("dir"));
        CompletableFuture<Void> failed = persist("dir");
        assertThat(failed).isCompletedExceptionally();
        assertThatThrownBy(failed::join).hasCause(whereForced);
        assertThat(verifier.value()).isNotEqualTo(7);
    }

    @Test
    void shouldForceAnOpenFileThatWasMovedOutOfTheExport(@TempDir Path outside) throws Exception {
        Inode moved = files(1).get(0);
        write(moved);
        Files.move(directory.resolve("file0"), outside.resolve("file"));
        assertThat(durability.persist(durability.losses(), moved)).isCompleted();
        assertThat(files.<Boolean>with(moved, false, OpenFile::isDirty)).isFalse();
        assertThat(forced).isEmpty();
    }

    @Test
    void shouldForceTheFileSystemForWhatWasMovedOutOfTheExportAndIsNotOpen(@TempDir Path outside) throws Exception {
        Inode moved = files(1).get(0);
        Files.move(directory.resolve("file0"), outside.resolve("file"));
        assertThat(durability.persist(durability.losses(), moved)).isCompleted();
        assertThat(forced).containsExactly("file system");
    }

    @Test
    void shouldForceNothingForWhatAClientHasRemoved() throws Exception {
        Inode removed = files(1).get(0);
        new TreeChanges(tree, new AttributeChanger(true, true), false, files::removed, new SystemRuntime())
                .remove(tree.root(), "file0", Caller.ROOT, (inode, change) -> change.make());
        assertThat(durability.persist(durability.losses(), removed)).isCompleted();
        assertThat(forced).isEmpty();
    }

    /** A written file whose channel waits to be closed, and that cannot be opened again. */
    private void closing(Inode inode, FailingChannel channel, List<Runnable> closings) throws Exception {
        Deque<FailingChannel> channels = new ArrayDeque<>(List.of(channel));
        files.close();
        files = new OpenFiles(
                tree,
                (each, write) -> {
                    if (channels.isEmpty()) {
                        throw new AccessDeniedException("file");
                    }
                    return new OpenFile(each, channels.remove(), write);
                },
                0,
                verifier,
                each -> false,
                closings::add,
                new SystemRuntime());
        write(inode);
        assertThat(closings).hasSize(1);
        durability = new Durability(
                new TreeStorage(tree, files, verifier), true, verifier, Runnable::run, new SystemRuntime());
    }

    private FailingChannel channel() throws IOException {
        return new FailingChannel(FileChannel.open(directory.resolve("file0"), StandardOpenOption.WRITE));
    }

    /** A file system in user space is not told of syncfs(2). */
    @Test
    void shouldForceByAChannelThatIsBeingClosedWhatCannotBeOpenedAgain() throws Exception {
        Inode written = files(1).get(0);
        FailingChannel channel = channel();
        List<Runnable> closings = new ArrayList<>();
        closing(written, channel, closings);
        assertThat(durability.persist(durability.losses(), written)).isCompleted();
        assertThat(channel.forced).hasValue(1);
        closings.forEach(Runnable::run);
        assertThat(channel.forced).hasValue(1);
        assertThat(channel.isOpen()).isFalse();
        assertThat(verifier.value()).isEqualTo(7);
    }

    @Test
    void shouldTellOfDataThatIsLostByAChannelThatIsBeingClosed() throws Exception {
        Inode written = files(1).get(0);
        FailingChannel channel = channel();
        channel.failsToForce = true;
        closing(written, channel, new ArrayList<>());
        assertThat(durability.persist(durability.losses(), written)).isCompletedExceptionally();
        assertThat(verifier.value()).isNotEqualTo(7);
    }

    private void write(Inode inode) throws IOException {
        files.<Void>with(inode, true, file -> {
            file.write(ByteBuffer.allocate(10), 0);
            return null;
        });
    }

    private List<Inode> files(int count) throws Exception {
        List<Inode> made = new ArrayList<>();
        for (int file = 0; file < count; file++) {
            Files.writeString(directory.resolve("file" + file), "content");
            made.add(tree.lookup(tree.root(), "file" + file, Caller.ROOT).inode());
        }
        return made;
    }

    @Test
    void shouldForceOpenFilesTogetherAndNotAgainWhenTheyAreClosed() throws Exception {
        List<Inode> written = files(3);
        for (Inode inode : written) {
            write(inode);
        }
        assertThat(new TreeStorage(tree, files, verifier).forceTogether(written))
                .isTrue();
        assertThat(forced).containsExactly("file system");
        for (Inode inode : written) {
            assertThat(files.<Boolean>with(inode, true, OpenFile::isDirty)).isFalse();
        }
    }

    @Test
    void shouldForceFilesAtTheirCloseWhereTheFileSystemWasNotForced() throws Exception {
        List<Inode> written = files(2);
        write(written.get(0));
        whereForced = new ErrnoException(null, Errno.EIO.number());
        TreeStorage storage = new TreeStorage(tree, files, verifier);
        assertThatThrownBy(() -> storage.forceTogether(written)).isSameAs(whereForced);
        assertThat(files.<Boolean>with(written.get(0), true, OpenFile::isDirty)).isTrue();
    }

    @Test
    void shouldForceTogetherOnlyWhereTheKernelReportsLostData() {
        assertThat(TreeStorage.reportsLoss("5.8.0-generic")).isTrue();
        assertThat(TreeStorage.reportsLoss("6.1.0")).isTrue();
        assertThat(TreeStorage.reportsLoss("5.7.19")).isFalse();
        assertThat(TreeStorage.reportsLoss("4.18.0-553.el8")).isFalse();
        assertThat(TreeStorage.reportsLoss("unknown")).isFalse();
    }

    @Test
    void shouldForceTogetherOnlyWhereTheFileSystemIsToldOfIt() {
        assertThat(TreeStorage.isKnown("ext4")).isTrue();
        assertThat(TreeStorage.isKnown("fuse.sshfs")).isFalse();
        assertThat(TreeStorage.isKnown("fuseblk")).isFalse();
        assertThat(TreeStorage.isKnown("overlay")).isFalse();
    }
}
