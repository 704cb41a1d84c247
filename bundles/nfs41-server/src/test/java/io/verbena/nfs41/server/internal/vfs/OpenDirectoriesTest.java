package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.util.SipHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenDirectoriesTest {
    private static final Caller ROOT = new Caller(0, 0, List.of());
    private static final int LIMIT = 8;

    @TempDir
    Path temporary;

    private final AtomicLong clock = new AtomicLong();
    private Path directory;
    private ExportTree tree;

    /** Opens the exported directory. */
    Directory openRoot(Path path) throws IOException {
        return Directories.open(path);
    }

    ExportTree tree() {
        return tree;
    }

    @BeforeEach
    void open() throws Exception {
        directory = Files.createDirectory(temporary.resolve("export"));
        tree = new ExportTree(
                directory,
                this::openRoot,
                new SipHash(new byte[SipHash.KEY_BYTES], 0),
                2,
                LIMIT,
                new ManualClock(clock::get));
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private Inode found(Inode parent, String name) throws Exception {
        return tree.lookup(parent, name, ROOT).inode();
    }

    private Inode at(String... names) throws Exception {
        Inode at = tree.root();
        for (String name : names) {
            at = found(at, name);
        }
        return at;
    }

    private static void assertStale(Call call) {
        assertThatThrownBy(call::make).isInstanceOfSatisfying(NfsError.class, e -> assertThat(e.status())
                .isEqualTo(Status.NFS4ERR_STALE));
    }

    private interface Call {
        void make() throws Exception;
    }

    @Test
    void shouldKeepNoMoreOpenThanItsLimit() throws Exception {
        List<Inode> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Files.createDirectories(directory.resolve("d" + i).resolve("inner"));
            all.add(at("d" + i, "inner"));
        }
        for (Inode each : all) {
            tree.pin(each).close();
        }
        assertThat(tree.openDirectories()).isEqualTo(LIMIT);
    }

    @Test
    void shouldServeMoreAtATimeThanItsLimit() throws Exception {
        List<PinnedDirectory> pinned = new ArrayList<>();
        for (int i = 0; i < 3 * LIMIT; i++) {
            Files.createDirectory(directory.resolve("d" + i));
            pinned.add(tree.pin(at("d" + i)));
        }
        for (PinnedDirectory each : pinned) {
            each.createDirectory("inner", 0700);
            each.close();
        }
        tree.pin(at("d0")).close();
        for (int i = 0; i < 3 * LIMIT; i++) {
            assertThat(directory.resolve("d" + i).resolve("inner")).isDirectory();
        }
        assertThat(tree.openDirectories()).isLessThanOrEqualTo(LIMIT + 1);
    }

    @Test
    void shouldFindADirectoryThatWasMovedWithinTheExport() throws Exception {
        Files.createDirectories(directory.resolve("a/b/c"));
        Inode c = at("a", "b", "c");
        Files.move(directory.resolve("a/b"), directory.resolve("moved"));
        clock.addAndGet(DirectoryCache.PROOF_NANOS);
        try (PinnedDirectory pinned = tree.pin(c)) {
            pinned.createDirectory("made", 0700);
        }
        assertThat(directory.resolve("moved/c/made")).isDirectory();
        assertThat(tree.parent(c, ROOT)).isEqualTo(at("moved"));
    }

    @Test
    void shouldNotServeADirectoryThatHasLeftTheExport() throws Exception {
        Files.createDirectories(directory.resolve("a/b/c"));
        Inode c = at("a", "b", "c");
        Files.move(directory.resolve("a/b"), temporary.resolve("outside"));
        clock.addAndGet(DirectoryCache.PROOF_NANOS);
        assertStale(() -> tree.pin(c).close());
        assertStale(() -> tree.attributes(c));
    }

    @Test
    void shouldNoticeAtOnceThatADirectoryIsNoLongerThere() throws Exception {
        Files.createDirectory(directory.resolve("gone"));
        Inode gone = at("gone");
        tree.pin(gone).close();
        Files.delete(directory.resolve("gone"));
        assertStale(() -> tree.pin(gone).close());
        assertStale(() -> tree.attributes(gone));
    }

    @Test
    void shouldNotTakeASuccessorForTheDirectory() throws Exception {
        Files.createDirectory(directory.resolve("dir"));
        Inode first = at("dir");
        tree.pin(first).close();
        Files.delete(directory.resolve("dir"));
        Files.createDirectory(directory.resolve("dir"));
        clock.addAndGet(DirectoryCache.PROOF_NANOS);
        assertStale(() -> tree.pin(first).close());
        Inode second = at("dir");
        assertThat(second).isNotEqualTo(first);
        tree.pin(second).close();
    }

    @Test
    void shouldComeToAnEndWhereKnownPlacesLeadInACircle() throws Exception {
        Files.createDirectories(directory.resolve("a/b"));
        Inode a = at("a");
        Inode b = at("a", "b");
        Files.move(directory.resolve("a/b"), directory.resolve("b"));
        Files.move(directory.resolve("a"), directory.resolve("b/a"));
        a.seenAt(b, "a"); // b is still believed to be in a
        clock.addAndGet(DirectoryCache.PROOF_NANOS);
        tree.pin(b).close();
        tree.pin(a).close();
        assertThat(tree.parent(a, ROOT)).isEqualTo(b);
    }

    @Test
    void shouldCloseWhatIsInUseWhenItsUserIsDone() throws Exception {
        Files.createDirectory(directory.resolve("dir"));
        PinnedDirectory pinned = tree.pin(at("dir"));
        tree.close();
        pinned.createDirectory("inner", 0700);
        pinned.close();
        assertThat(directory.resolve("dir/inner")).isDirectory();
        assertThatThrownBy(() -> pinned.createDirectory("late", 0700)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> tree.lookup(tree.root(), "dir", ROOT)).isInstanceOf(IOException.class);
    }
}
