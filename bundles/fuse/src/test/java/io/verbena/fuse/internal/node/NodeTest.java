package io.verbena.fuse.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class NodeTest {
    private final Node node = new Node(7, null);

    private static FileAttributes of(int mode) {
        Instant time = Instant.EPOCH;
        return new FileAttributes(FileType.REGULAR, 0, 0, mode, 1, "0", "0", time, time, time, 1, 1, 7, 1);
    }

    /** The answer to a stat(2) may be older than a chmod(2) that another thread has finished. */
    @Test
    void shouldNotTakeSetIdBitsForGoneByWhatWasAskedForBefore() {
        node.seen(of(04755));
        node.seen(of(0755));
        assertThat(node.mayHaveSetId()).isTrue();
    }

    @Test
    void shouldNotMissSetIdBitsThatComeWhileTheServerIsAsked() {
        node.seen(of(04755));
        int before = node.setIdSeen();
        node.seen(of(02755));
        node.setIdGone(before);
        assertThat(node.mayHaveSetId()).isTrue();
        node.setIdGone(node.setIdSeen());
        assertThat(node.mayHaveSetId()).isFalse();
    }
}
