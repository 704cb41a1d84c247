package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.atomic.AtomicInteger;
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
}
