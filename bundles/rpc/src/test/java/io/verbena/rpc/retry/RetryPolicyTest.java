package io.verbena.rpc.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private static final RetryPolicy PLAIN = RetryPolicy.doubling(Duration.ofMillis(20), Duration.ofSeconds(5));

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // the clock overflows during the test

    private RetryPolicy.Series start(RetryPolicy policy, double random) {
        return policy.start(now::get, () -> random);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void shouldDoubleItsPausesUpToTheLongest() {
        RetryPolicy.Series series = start(PLAIN, 0);
        assertThat(IntStream.range(0, 11).mapToLong(i -> series.nextPauseMillis()))
                .containsExactly(20L, 40L, 80L, 160L, 320L, 640L, 1280L, 2560L, 5000L, 5000L, 5000L);
        assertThat(series.failures()).isEqualTo(11);
        assertThat(IntStream.range(0, 5000).mapToLong(i -> series.nextPauseMillis()))
                .containsOnly(5000L);
    }

    @Test
    void shouldLeaveOutAShareOfAPauseAtRandom() {
        assertThat(start(PLAIN.withJitter(0.5), 0).nextPauseMillis()).isEqualTo(20);
        assertThat(start(PLAIN.withJitter(0.5), 0.5).nextPauseMillis()).isEqualTo(15);
        assertThat(start(PLAIN.withJitter(1), 1 - 1e-12).nextPauseNanos()).isEqualTo(1);
    }

    @Test
    void shouldBeOverAfterItsTime() {
        RetryPolicy.Series series = start(PLAIN.withLimit(Duration.ofSeconds(1)), 0);
        pass(Duration.ofMillis(999));
        assertThat(series.isOver()).isFalse();
        assertThat(series.leftNanos()).isEqualTo(1_000_000);
        pass(Duration.ofMillis(1));
        assertThat(series.isOver()).isTrue();
        series.restart();
        assertThat(series.isOver()).isFalse();
    }

    @Test
    void shouldBeOverAfterItsAttempts() {
        RetryPolicy.Series series = start(PLAIN.withAttempts(2), 0);
        series.nextPauseNanos();
        assertThat(series.isOver()).isFalse();
        series.nextPauseNanos();
        assertThat(series.isOver()).isTrue();
    }

    @Test
    void shouldGoOnForeverWithoutABound() {
        RetryPolicy.Series series = start(PLAIN, 0);
        pass(Duration.ofDays(10_000));
        assertThat(series.leftNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(series.isOver()).isFalse();
    }

    @Test
    void shouldBeginAnewAfterASuccessThatLasted() {
        RetryPolicy.Series series = start(PLAIN.withSettled(Duration.ofMillis(100)), 0);
        series.nextPauseNanos();
        assertThat(series.succeeded(Duration.ofMillis(100).toNanos())).isTrue();
        assertThat(series.nextPauseMillis()).isEqualTo(20);
    }

    @Test
    void shouldGoOnAfterASuccessThatDidNotLast() {
        RetryPolicy.Series series = start(PLAIN.withSettled(Duration.ofMillis(100)), 0);
        for (long pause = 20; pause <= 640; pause *= 2) {
            assertThat(series.nextPauseMillis()).isEqualTo(pause);
            assertThat(series.succeeded(Duration.ofMillis(99).toNanos())).isFalse();
        }
        // longer than the policy requires, but shorter than the last pause
        assertThat(series.succeeded(Duration.ofMillis(639).toNanos())).isFalse();
        assertThat(series.succeeded(Duration.ofMillis(640).toNanos())).isTrue();
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        assertThatThrownBy(() -> RetryPolicy.doubling(Duration.ZERO, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RetryPolicy.doubling(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PLAIN.withJitter(1.5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PLAIN.withAttempts(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCutPausesShort() {
        RetryPolicy brief = RetryPolicy.doubling(Duration.ofMillis(4), Duration.ofSeconds(3))
                .withLongest(Duration.ofMillis(10));
        assertThat(brief.first()).hasMillis(4);
        assertThat(brief.longest()).hasMillis(10);
        assertThat(brief.withLongest(Duration.ofMillis(1)).first()).hasMillis(1);
    }
}
