package io.verbena.cli.internal.resident;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class OccupancyTest {
    private long now;

    @Test
    void shouldLetOneInAtATime() {
        Occupancy occupancy = new Occupancy(1, () -> now);

        assertThat(occupancy.enter()).isTrue();
        assertThat(occupancy.enter()).isFalse();
        occupancy.leave();
        assertThat(occupancy.enter()).isTrue();
    }

    @Test
    void shouldEndOnlyAfterItWasIdleForLong() {
        Occupancy occupancy = new Occupancy(2, () -> now);
        occupancy.enter();
        now = 100;
        assertThat(occupancy.endIfIdle(10)).isFalse();
        occupancy.leave();
        now = 109;
        assertThat(occupancy.endIfIdle(10)).isFalse();
        now = 110;
        assertThat(occupancy.endIfIdle(10)).isTrue();
        assertThat(occupancy.enter()).isFalse();
    }

    @Test
    void shouldWaitForThoseWhoAreIn() {
        Occupancy occupancy = new Occupancy(2, () -> now);
        occupancy.enter();
        occupancy.end();
        assertThat(occupancy.enter()).isFalse();
        assertThat(occupancy.endIfIdle(0)).isFalse();
        occupancy.leave();
        assertThat(occupancy.endIfIdle(0)).isTrue();
    }
}
