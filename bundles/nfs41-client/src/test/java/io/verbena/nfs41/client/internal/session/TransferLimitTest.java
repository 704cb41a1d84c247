package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.client.internal.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TransferLimitTest {
    private static final int MIB = 1 << 20;

    private final ManualClock clock = new ManualClock(1_000);
    private final TransferLimit limit = new TransferLimit("m", clock);

    /** A transfer of that size is lost several times. Returns whether its size counts as the reason. */
    private boolean lose(int octets) {
        boolean isSuspect = limit.isSuspect(octets, TransferLimit.LOSSES, clock.nanoTime());
        if (isSuspect) {
            limit.shrink(octets);
        }
        return isSuspect;
    }

    @Test
    void shouldBeNoneAtFirst() {
        assertThat(limit.of(MIB)).isEqualTo(MIB);
        assertThat(limit.shown()).isEmpty();
    }

    @Test
    void shouldHalveAfterSeveralLosses() {
        assertThat(limit.isSuspect(MIB, TransferLimit.LOSSES - 1, clock.nanoTime()))
                .isFalse();
        assertThat(lose(MIB)).isTrue();
        assertThat(limit.of(MIB)).isEqualTo(MIB / 2);
        assertThat(limit.shown()).contains(MIB / 2);
        assertThat(lose(MIB / 2)).isTrue();
        assertThat(limit.of(MIB)).isEqualTo(MIB / 4);
    }

    @Test
    void shouldRefuseWhatIsLargerAtItsNextLoss() {
        assertThat(lose(MIB)).isTrue();
        assertThat(limit.isSuspect(MIB - 1, 1, clock.nanoTime())).isTrue();
        assertThat(limit.isSuspect(MIB, 0, clock.nanoTime()))
                .as("no connection was lost with it")
                .isFalse();
        assertThat(limit.of(MIB)).isEqualTo(MIB / 2);
    }

    @Test
    void shouldNotTakeTheSizeForTheReasonWhereAnotherOfThatSizeWasAnswered() {
        long sinceNanos = clock.nanoTime();
        limit.answered(MIB);
        assertThat(limit.isSuspect(MIB / 2, 100, sinceNanos)).isFalse();
        clock.pass(Duration.ofSeconds(1));
        limit.answered(4096);
        assertThat(lose(MIB / 2)).as("answered before").isTrue();
    }

    @Test
    void shouldNotFallBelowAPage() {
        int octets = MIB;
        while (lose(octets)) {
            octets = limit.of(MIB);
        }
        assertThat(octets).isEqualTo(TransferLimit.LEAST);
    }

    @Test
    void shouldGrowAgainAfterAMinute() {
        assertThat(lose(MIB)).isTrue();
        assertThat(lose(MIB / 2)).isTrue();
        clock.pass(Duration.ofSeconds(59));
        assertThat(limit.of(MIB)).isEqualTo(MIB / 4);
        clock.pass(Duration.ofSeconds(1));
        assertThat(limit.of(MIB)).isEqualTo(MIB / 2);
        clock.pass(Duration.ofMinutes(1));
        assertThat(limit.of(MIB)).isEqualTo(MIB);
        assertThat(limit.shown()).isEmpty();
    }

    @Test
    void shouldTryMoreRarelyEachTimeThatItFails() {
        assertThat(lose(MIB)).isTrue();
        Duration wait = Duration.ofMinutes(1);
        for (int trial = 0; trial < 10; trial++) {
            clock.pass(wait.minusNanos(1));
            assertThat(limit.of(MIB)).isEqualTo(MIB / 2);
            clock.pass(Duration.ofNanos(1));
            assertThat(limit.of(MIB)).isEqualTo(MIB);
            assertThat(lose(MIB)).isTrue();
            Duration twice = wait.multipliedBy(2);
            wait = twice.compareTo(Duration.ofHours(1)) > 0 ? Duration.ofHours(1) : twice;
        }
        assertThat(wait).isEqualTo(Duration.ofHours(1));
    }
}
