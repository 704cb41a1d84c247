package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressPrinterTest {
    private long now = Long.MAX_VALUE - 5;
    private long plannedFiles;
    private long plannedOctets;
    private long files;
    private long octets;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private Optional<String> trouble = Optional.empty();

    private void plan(long planFiles, long planOctets) {
        plannedFiles = planFiles;
        plannedOctets = planOctets;
    }

    private void pass(long millis, long moved) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
        octets += moved;
    }

    private ProgressPrinter printer(int width) {
        return new ProgressPrinter(out, width, progress -> trouble, () -> now);
    }

    private void tick(ProgressPrinter printer) {
        long done = plannedOctets == 0 ? octets : Math.min(octets, plannedOctets);
        printer.progressed(new Progress(true, files, plannedFiles, done, plannedOctets, 0, "", Optional.empty()));
    }

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldDrawOneLineInATerminal() {
        plan(4, 100_000_000);
        ProgressPrinter printer = printer(80);

        pass(100, 1);
        tick(printer);
        assertThat(printed()).as("too early").isEmpty();
        pass(900, 24_999_999);
        files++;
        tick(printer);

        assertThat(printed())
                .isEqualTo("\r\u001b[K[===>               ]  25% 25.0 MB of 100.0 MB, 25.0 MB/s, 0:03 left, 1/4 files");
        printer.end();
        assertThat(printed()).endsWith("files\r\u001b[K").doesNotContain("\n");
    }

    @Test
    void shouldFitIntoANarrowTerminal() {
        plan(1, 100);
        ProgressPrinter printer = printer(20);
        pass(1000, 100);
        tick(printer);
        assertThat(printed()).isEqualTo("\r\u001b[K100% 100 B of 100 B");
    }

    @Test
    void shouldPrintALineEveryFiveSecondsElsewhere() {
        plan(1, 3_600_000_000_000L);
        ProgressPrinter printer = printer(0);
        for (int i = 0; i < 110; i++) {
            pass(100, 50_000_000);
            tick(printer);
        }
        printer.end();

        assertThat(printed().lines())
                .containsExactly(
                        "  0% 2.5 GB of 3.6 TB, 500.0 MB/s, 1:59:55 left, 0/1 files",
                        "  0% 5.0 GB of 3.6 TB, 500.0 MB/s, 1:59:50 left, 0/1 files");
    }

    @Test
    void shouldTellNoTimeWhereNothingMoves() {
        plan(1, 100_000_000);
        ProgressPrinter printer = printer(0);
        pass(5000, 50_000_000);
        tick(printer);
        pass(5000, 0);
        tick(printer);
        trouble = Optional.of("server a silent for 12 s (gives up in 78 s)");
        pass(5000, 0);
        tick(printer);
        trouble = Optional.empty();
        pass(5000, 25_000_000);
        tick(printer);

        assertThat(printed().lines())
                .containsExactly(
                        " 50% 50.0 MB of 100.0 MB, 10.0 MB/s, 0:05 left, 0/1 files",
                        " 50% 50.0 MB of 100.0 MB, stalled, 0/1 files",
                        " 50% 50.0 MB of 100.0 MB, server a silent for 12 s (gives up in 78 s), 0/1 files",
                        " 75% 75.0 MB of 100.0 MB, 6.1 MB/s, 0:05 left, 0/1 files");
    }

    /**
     * The shown progress stays at most 100 percent with files of unknown size, and with blocks that are moved again.
     */
    @Test
    void shouldNotPromiseMoreThanAll() {
        plan(2, 10);
        ProgressPrinter printer = printer(0);
        pass(5000, 0);
        tick(printer);
        pass(5000, 1000);
        tick(printer);

        assertThat(printed().lines())
                .containsExactly(
                        "  0% 0 B of 10 B, stalled, 0/2 files", "100% 10 B of 10 B, 0 B/s, 0:00 left, 0/2 files");
    }

    @Test
    void shouldNotTellATimeBelowZeroWhereNoSizeWasKnown() {
        plan(1, 0);
        ProgressPrinter printer = printer(0);
        pass(5000, 100_000);
        tick(printer);

        assertThat(printed()).isEqualTo("  0% 100.0 kB of 0 B, 20.0 kB/s, 0:00 left, 0/1 files\n");
    }
}
