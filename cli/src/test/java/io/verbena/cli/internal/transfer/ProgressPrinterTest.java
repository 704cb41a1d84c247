package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressPrinterTest {
    private final FakeClock clock = new FakeClock();
    private final Progress progress = new Progress();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private void pass(long millis, long octets) {
        clock.sleep(TimeUnit.MILLISECONDS.toNanos(millis));
        progress.pass(octets);
    }

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldDrawOneLineInATerminal() {
        progress.plan(4, 100_000_000);
        ProgressPrinter printer = new ProgressPrinter(progress, out, 80, clock);

        pass(100, 1);
        printer.tick();
        assertThat(printed()).as("too early").isEmpty();
        pass(900, 24_999_999);
        progress.completeFile();
        printer.tick();

        assertThat(printed())
                .isEqualTo("\r\u001b[K[===>               ]  25% 25.0 MB of 100.0 MB, 25.0 MB/s, 0:03 left, 1/4 files");
        printer.end();
        assertThat(printed()).endsWith("files\r\u001b[K").doesNotContain("\n");
    }

    @Test
    void shouldFitIntoANarrowTerminal() {
        progress.plan(1, 100);
        ProgressPrinter printer = new ProgressPrinter(progress, out, 20, clock);
        pass(1000, 100);
        printer.tick();
        assertThat(printed()).isEqualTo("\r\u001b[K100% 100 B of 100 B");
    }

    @Test
    void shouldPrintALineEveryFiveSecondsElsewhere() {
        progress.plan(1, 3_600_000_000_000L);
        ProgressPrinter printer = new ProgressPrinter(progress, out, 0, clock);
        for (int i = 0; i < 110; i++) {
            pass(100, 50_000_000);
            printer.tick();
        }
        printer.end();

        assertThat(printed().lines())
                .containsExactly(
                        "  0% 2.5 GB of 3.6 TB, 500.0 MB/s, 1:59:55 left, 0/1 files",
                        "  0% 5.0 GB of 3.6 TB, 500.0 MB/s, 1:59:50 left, 0/1 files");
    }

    /** Files whose size only reading tells, and blocks that are moved again, do not make more of it than all. */
    @Test
    void shouldNotPromiseMoreThanAll() {
        progress.plan(2, 10);
        ProgressPrinter printer = new ProgressPrinter(progress, out, 0, clock);
        pass(5000, 0);
        printer.tick();
        pass(5000, 1000);
        printer.tick();

        assertThat(printed().lines())
                .containsExactly(
                        "  0% 0 B of 10 B, 0 B/s, 0:10 left, 0/2 files",
                        "100% 10 B of 10 B, 0 B/s, 0:00 left, 0/2 files");
    }

    @Test
    void shouldNotTellATimeBelowZeroWhereNoSizeWasKnown() {
        progress.plan(1, 0);
        ProgressPrinter printer = new ProgressPrinter(progress, out, 0, clock);
        pass(5000, 100_000);
        printer.tick();

        assertThat(printed()).isEqualTo("  0% 100.0 kB of 0 B, 20.0 kB/s, 0:00 left, 0/1 files\n");
    }
}
