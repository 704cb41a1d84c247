package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        tree = new ExportTree(directory, new SipHash(new byte[SipHash.KEY_BYTES], 0), 2);
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
}
