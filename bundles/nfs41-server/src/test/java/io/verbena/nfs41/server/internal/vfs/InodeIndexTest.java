package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.util.HeapShare;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.runtime.SystemRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InodeIndexTest {
    private static final Caller ROOT = new Caller(0, 0, List.of());

    @TempDir
    Path directory;

    private ExportTree tree;

    @BeforeEach
    void open() throws Exception {
        tree = new ExportTree(directory, new SipHash(new byte[SipHash.KEY_BYTES], 0), 2, new SystemRuntime());
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private Inode known(String name) throws Exception {
        Files.createFile(directory.resolve(name));
        return tree.lookup(tree.root(), name, ROOT).inode();
    }

    @Test
    void shouldWalkOnceForAllThatWasRemoved() throws Exception {
        Inode first = known("first");
        Inode second = known("second");
        Files.delete(directory.resolve("first"));
        Files.delete(directory.resolve("second"));
        assertThatThrownBy(() -> tree.attributes(first)).isInstanceOf(NfsError.class);
        assertThatThrownBy(() -> tree.attributes(second)).isInstanceOf(NfsError.class);
        assertThat(tree.index().walks()).isEqualTo(1);
    }

    @Test
    void shouldWalkAgainForWhatTheLastWalkHasComeUpon() throws Exception {
        Inode removed = known("removed");
        Inode moved = known("moved");
        Files.delete(directory.resolve("removed"));
        assertThatThrownBy(() -> tree.attributes(removed)).isInstanceOf(NfsError.class);
        Files.move(directory.resolve("moved"), directory.resolve("elsewhere"));
        assertThat(tree.attributes(moved).ino()).isEqualTo(moved.number());
        assertThat(tree.index().walks()).isEqualTo(2);
    }

    @Test
    void shouldNotWalkForWhatAClientHasRemoved() throws Exception {
        Inode removed = known("removed");
        byte[] handle = tree.handle(removed);
        Files.delete(directory.resolve("removed"));
        removed.goneFrom(tree.root(), "removed");
        tree.index().removed(removed);
        assertThatThrownBy(() -> tree.attributes(removed)).isInstanceOf(NfsError.class);
        assertThatThrownBy(() -> tree.resolve(handle)).isInstanceOf(NfsError.class);
        assertThat(tree.index().walks()).isZero();
    }

    /** From then on an open file is found among those without a name. */
    @Test
    void shouldKnowARemovedObjectUntilItsRemovalIsTold() throws Exception {
        Inode removed = known("removed");
        byte[] handle = tree.handle(removed);
        List<Inode> found = new ArrayList<>();
        TreeChanges changes = new TreeChanges(
                tree,
                new AttributeChanger(false, false),
                false,
                gone -> {
                    try {
                        found.add(tree.resolveKnown(handle));
                    } catch (NfsError e) {
                        throw new IllegalStateException(e);
                    }
                },
                new SystemRuntime());
        assertThat(changes.remove(tree.root(), "removed", ROOT, (inode, change) -> change.make()))
                .isNotNull();
        assertThat(found).containsExactly(removed);
        assertThatThrownBy(() -> tree.resolveKnown(handle)).isInstanceOf(NfsError.class);
    }

    @Test
    void shouldFindAgainWhatGotANameAgain() throws Exception {
        Inode linked = known("linked");
        Files.createLink(directory.resolve("other"), directory.resolve("linked"));
        Files.delete(directory.resolve("linked"));
        tree.index().removed(linked); // the link came between the look and the removal
        assertThat(tree.lookup(tree.root(), "other", ROOT).inode()).isEqualTo(linked);
        assertThat(tree.attributes(linked).ino()).isEqualTo(linked.number());
    }

    private ExportTree treeWith(HeapShare share) throws Exception {
        return new ExportTree(directory, new SipHash(new byte[SipHash.KEY_BYTES], 0), 2, share, new SystemRuntime());
    }

    private List<byte[]> handles(ExportTree of, int count) throws Exception {
        List<byte[]> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Path file = directory.resolve("file-" + i);
            if (!Files.exists(file)) {
                Files.createFile(file);
            }
            handles.add(of.handle(of.lookup(of.root(), "file-" + i, ROOT).inode()));
        }
        return handles;
    }

    @Test
    void shouldKeepSomeObjectsWhateverAnotherExportHolds() throws Exception {
        HeapShare share = new HeapShare(64 << 10);
        share.part().add((64 << 10) + 1); // an idle one
        try (ExportTree other = treeWith(share)) {
            List<byte[]> handles = handles(other, 20);
            for (byte[] handle : handles) {
                assertThat(other.resolveKnown(handle)).isNotNull();
            }
            assertThat(other.index().walks()).isZero();
        }
    }

    @Test
    void shouldForgetObjectsThatAnotherExportHasRoomFor() throws Exception {
        HeapShare share = new HeapShare(64 << 10);
        AtomicInteger told = new AtomicInteger();
        share.addListener(told::incrementAndGet);
        try (ExportTree idle = treeWith(share);
                ExportTree busy = treeWith(share)) {
            handles(idle, 1000);
            assertThat(share.held()).isGreaterThan(60 << 10);
            assertThat(told).hasValue(0);
            List<byte[]> handles = handles(busy, 80);
            assertThat(told).hasPositiveValue();
            idle.shrink();
            assertThat(share.held()).isLessThanOrEqualTo(64 << 10);
            busy.shrink();
            for (byte[] handle : handles) {
                assertThat(busy.resolveKnown(handle)).isNotNull();
            }
        }
        assertThat(share.held()).isZero();
    }

    /** What a call fails with, or OK. */
    private static Status statusOf(Callable<?> call) {
        try {
            assertThat(call.call()).isNotNull();
            return Status.NFS4_OK;
        } catch (NfsError e) {
            return e.status();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Status statusOf(ExportTree of, byte[] handle) {
        return statusOf(() -> of.attributes(of.resolve(handle)));
    }

    private static Status statusOnAnotherThread(Callable<?> call) throws Exception {
        return CompletableFuture.supplyAsync(() -> statusOf(call)).get(20, TimeUnit.SECONDS);
    }

    /**
     * A tree of more objects than its index has room for, so that no walk is remembered.
     *
     * @param inTheWalk executed once, by the thread that walks
     */
    private ExportTree largeTree(AtomicReference<Callable<Object>> inTheWalk) throws Exception {
        return new ExportTree(
                directory,
                path -> Intercepted.directory(Directories.open(path), (target, method, real) -> {
                    Callable<Object> step = method.equals("forEachName") ? inTheWalk.getAndSet(null) : null;
                    Object unused = step == null ? null : step.call();
                    return real.make();
                }),
                new SipHash(new byte[SipHash.KEY_BYTES], 0),
                2,
                new HeapShare(16 << 10),
                new SystemRuntime());
    }

    /** Many handles of removed objects would hold up each worker for as long as a walk takes, one after the other. */
    @Test
    void shouldHoldNobodyUpByTheWalkOfAnotherAndAnswerAllThatAskedByTheNext() throws Exception {
        AtomicReference<Callable<Object>> inTheWalk = new AtomicReference<>();
        try (ExportTree large = largeTree(inTheWalk)) {
            List<byte[]> handles = handles(large, 300);
            for (int i = 0; i < 3; i++) {
                Files.delete(directory.resolve("file-" + i));
            }
            AtomicReference<Status> meanwhile = new AtomicReference<>();
            inTheWalk.set(() -> {
                meanwhile.set(statusOnAnotherThread(() -> large.attributes(large.resolve(handles.get(1)))));
                return null;
            });
            assertThat(statusOf(large, handles.get(0))).isEqualTo(Status.NFS4ERR_STALE);
            assertThat(meanwhile).hasValue(Status.NFS4ERR_DELAY);
            assertThat(statusOf(large, handles.get(2))).isEqualTo(Status.NFS4ERR_STALE);
            assertThat(statusOf(large, handles.get(1))).isEqualTo(Status.NFS4ERR_STALE);
            assertThat(large.index().walks()).isEqualTo(2);
            assertThat(statusOf(large, handles.get(299))).isEqualTo(Status.NFS4_OK);
        }
    }

    @Test
    void shouldFindAgainWithoutAWalkWhatHasComeBackAfterItsSearchWasPutOff() throws Exception {
        AtomicReference<Callable<Object>> inTheWalk = new AtomicReference<>();
        try (ExportTree large = largeTree(inTheWalk)) {
            List<byte[]> handles = handles(large, 300);
            Inode moved = large.lookup(large.root(), "file-299", ROOT).inode();
            Path there = directory.resolve("file-299");
            Path elsewhere = directory.resolve("elsewhere");
            Files.delete(directory.resolve("file-0"));
            inTheWalk.set(() -> {
                Files.move(there, elsewhere);
                assertThat(statusOnAnotherThread(() -> large.attributes(moved))).isEqualTo(Status.NFS4ERR_DELAY);
                return Files.move(elsewhere, there);
            });
            assertThat(statusOf(large, handles.get(0))).isEqualTo(Status.NFS4ERR_STALE);
            assertThat(statusOf(() -> large.attributes(moved))).isEqualTo(Status.NFS4_OK);
            assertThat(large.index().walks()).isEqualTo(1);
        }
    }
}
