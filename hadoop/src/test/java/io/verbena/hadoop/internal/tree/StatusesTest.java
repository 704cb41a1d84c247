package io.verbena.hadoop.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.apache.hadoop.fs.BlockLocation;
import org.junit.jupiter.api.Test;

final class StatusesTest {
    @Test
    void shouldKeepTheLocationsOfAHugeFileFew() {
        Statuses statuses = new Statuses(URI.create("nfs+rdma://server"), 1 << 20, new String[] {"server"});

        BlockLocation[] locations = statuses.locations(Long.MAX_VALUE, 0, Long.MAX_VALUE);

        assertThat(locations.length).isBetween(Statuses.MAX_LOCATIONS / 2, Statuses.MAX_LOCATIONS);
        BlockLocation last = locations[locations.length - 1];
        assertThat(last.getOffset() + last.getLength()).isEqualTo(Long.MAX_VALUE);
    }
}
