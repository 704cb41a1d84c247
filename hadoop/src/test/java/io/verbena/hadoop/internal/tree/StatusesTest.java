package io.verbena.hadoop.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

final class StatusesTest {
    /** Anybody may give such a time to a file of a directory that others list. */
    @Test
    void shouldShowTimesThatHadoopCannotHave() throws IOException {
        Statuses statuses =
                new Statuses(URI.create("nfs+rdma://server"), 1 << 20, new String[] {"server"}, owner -> owner);
        FileAttributes attributes = new FileAttributes(
                FileType.REGULAR, 0, 0, 0_644, 1, "0", "0", Instant.MAX, Instant.MIN, Instant.EPOCH, 1, 1, 1, 1);

        FileStatus status = statuses.of(new Path("nfs+rdma://server/f"), attributes);

        assertThat(status.getModificationTime()).isEqualTo(Long.MAX_VALUE);
        assertThat(status.getAccessTime()).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void shouldKeepTheLocationsOfAHugeFileFew() {
        Statuses statuses =
                new Statuses(URI.create("nfs+rdma://server"), 1 << 20, new String[] {"server"}, owner -> owner);

        BlockLocation[] locations = statuses.locations(Long.MAX_VALUE, 0, Long.MAX_VALUE);

        assertThat(locations.length).isBetween(Statuses.MAX_LOCATIONS / 2, Statuses.MAX_LOCATIONS);
        BlockLocation last = locations[locations.length - 1];
        assertThat(last.getOffset() + last.getLength()).isEqualTo(Long.MAX_VALUE);
    }
}
