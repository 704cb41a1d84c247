package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.internal.block.Bandwidth;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BandwidthTest extends TransferCase {
    private final FakeClock clock = new FakeClock();
    private final long start = clock.nanoTime();

    private double seconds() {
        return (clock.nanoTime() - start) / 1e9;
    }

    @ParameterizedTest
    @CsvSource({"10_000_000, 1_048_576, 100", "1_000, 1_048_576, 3", "1_000_000_000_000, 1_048_576, 1000", "7, 1, 70"})
    void shouldTakeTheTimeThatOctetsNeed(String rate, String octets, int times) throws Exception {
        long perSecond = Long.parseLong(rate.replace("_", ""));
        int each = Integer.parseInt(octets.replace("_", ""));
        Bandwidth bandwidth = new Bandwidth(() -> perSecond, clock);

        for (int i = 0; i < times; i++) {
            bandwidth.acquire(each);
        }

        assertThat(seconds()).isCloseTo((double) each * times / perSecond, Offset.offset(0.001 * times));
    }

    @Test
    void shouldNotSaveUpWhatWasNotUsed() throws Exception {
        Bandwidth bandwidth = new Bandwidth(() -> 1000, clock);
        clock.sleep(TimeUnit.HOURS.toNanos(1));

        bandwidth.acquire(1000);

        assertThat(seconds()).isCloseTo(3600.9, Offset.offset(0.001));
    }

    @Test
    void shouldLimitACopyButNotItsHoles() throws Exception {
        sparse(local.resolve("file"), 10 << 20, 0, 5 << 20);

        CopySummary put = new TransferEngine(clock, STRETCH)
                .copy(List.of(here("file")), there("/file"), TREE.withLimit(1 << 20))
                .run();
        CopySummary got = new TransferEngine(clock, STRETCH)
                .copy(List.of(there("/file")), here("back"), TREE.withLimit(1 << 20))
                .run();

        assertThat(put.seconds()).isCloseTo(2, Offset.offset(0.2));
        assertThat(got.seconds()).isCloseTo(10, Offset.offset(0.2));
    }
}
