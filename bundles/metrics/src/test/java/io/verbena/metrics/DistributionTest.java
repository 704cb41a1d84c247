package io.verbena.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class DistributionTest {
    private final DurationRecorder recorder = new DurationRecorder();

    @Test
    void shouldBeAllZerosOfNothing() {
        Distribution nothing = recorder.snapshot();

        assertThat(nothing.count()).isZero();
        assertThat(nothing.meanNanos()).isZero();
        assertThat(nothing.maxNanos()).isZero();
        assertThat(nothing.percentileNanos(99.9)).isZero();
        assertThat(nothing.since(Distribution.EMPTY).count()).isZero();
    }

    @Test
    void shouldKnowPercentilesWithinOnePercent() {
        IntStream.rangeClosed(1, 10_000).forEach(i -> recorder.record(i * 1_000L));

        Distribution all = recorder.snapshot();

        assertThat(all.count()).isEqualTo(10_000);
        assertThat(all.meanNanos()).isEqualTo(5_000_500);
        assertClose(all.percentileNanos(50), 5_000_000);
        assertClose(all.percentileNanos(90), 9_000_000);
        assertClose(all.percentileNanos(99.9), 9_990_000);
        assertClose(all.maxNanos(), 10_000_000);
        assertThat(all.percentileNanos(100)).isEqualTo(all.maxNanos());
    }

    @Test
    void shouldCountUpToABound() {
        IntStream.rangeClosed(1, 1_000).forEach(i -> recorder.record(i * 1_000_000L));

        Distribution all = recorder.snapshot();

        assertThat(all.totalNanos()).isEqualTo(500_500_000_000L);
        assertThat(all.countUpTo(0)).isZero();
        assertThat(all.countUpTo(100_000_000)).isBetween(99L, 100L);
        assertThat(all.countUpTo(900_000_000)).isBetween(891L, 900L);
        assertThat(all.countUpTo(Long.MAX_VALUE)).isEqualTo(1_000);
        assertThat(Distribution.EMPTY.countUpTo(Long.MAX_VALUE)).isZero();
    }

    @Test
    void shouldTellWhatCameSinceAnEarlierLook() {
        recorder.record(1_000_000);
        recorder.record(9_000_000);
        Distribution earlier = recorder.snapshot();
        recorder.record(2_000_000);
        recorder.record(4_000_000);

        Distribution since = recorder.snapshot().since(earlier);

        assertThat(since.count()).isEqualTo(2);
        assertThat(since.meanNanos()).isEqualTo(3_000_000);
        assertClose(since.percentileNanos(50), 2_000_000);
        assertClose(since.maxNanos(), 4_000_000);
    }

    @Test
    void shouldAddUp() {
        recorder.record(1_000_000);
        DurationRecorder other = new DurationRecorder();
        other.record(3_000_000);
        other.record(1_000_000);

        Distribution both = recorder.snapshot().plus(other.snapshot());

        assertThat(both.count()).isEqualTo(3);
        assertClose(both.percentileNanos(50), 1_000_000);
        assertClose(both.maxNanos(), 3_000_000);
    }

    @Test
    void shouldTakeWhatIsOutOfRangeForItsEnds() {
        recorder.record(-5);
        recorder.record(Duration.ofDays(1).toNanos());

        Distribution ends = recorder.snapshot();

        assertThat(ends.percentileNanos(0)).isZero();
        assertClose(ends.maxNanos(), Duration.ofHours(1).toNanos());
    }

    @Test
    void shouldRefuseWhatIsNoPercentile() {
        assertThatIllegalArgumentException().isThrownBy(() -> Distribution.EMPTY.percentileNanos(101));
        assertThatIllegalArgumentException().isThrownBy(() -> Distribution.EMPTY.percentileNanos(Double.NaN));
    }

    @Test
    void shouldLoseNothingThatManyThreadsRecord() throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> IntStream.range(0, 10_000).forEach(recorder::record));
            threads[i].start();
        }
        for (Thread thread : threads) {
            Distribution meanwhile = recorder.snapshot();
            assertThat(meanwhile.count()).isBetween(0L, 40_000L);
            thread.join();
        }

        assertThat(recorder.snapshot().count()).isEqualTo(40_000);
    }

    private static void assertClose(long actual, long expected) {
        assertThat(actual).isCloseTo(expected, Percentage.withPercentage(1));
    }
}
