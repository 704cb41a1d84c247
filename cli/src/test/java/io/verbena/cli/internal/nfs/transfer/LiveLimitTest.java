package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.Invocation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a file of a rate that changes does to a transfer, and what is told of it. */
final class LiveLimitTest {
    @TempDir
    private Path folder;

    private final AtomicLong now = new AtomicLong();
    private final List<String> told = new ArrayList<>();
    private Path file;
    private LongSupplier limit;

    @BeforeEach
    void setUp() throws Exception {
        file = Files.writeString(folder.resolve("rate"), "10M\n");
        limit = LiveLimit.of("@" + file, Invocation.ofProcess(), told::add, now::get);
    }

    private long aSecondLater() {
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        return limit.getAsLong();
    }

    @Test
    void shouldTellOnceThatTheFileIsEmpty() throws Exception {
        Files.writeString(file, " \n");
        for (int i = 0; i < 5; i++) {
            assertThat(aSecondLater()).isEqualTo(10_000_000);
        }
        assertThat(told).containsExactly("the limit stays as it is: the file " + file + " is empty");

        Files.writeString(file, "5M");
        assertThat(aSecondLater()).isEqualTo(5_000_000);
        assertThat(told).hasSize(1);
    }

    @Test
    void shouldTellOnceThatTheFileCannotBeRead() throws Exception {
        Files.delete(file);
        for (int i = 0; i < 5; i++) {
            assertThat(aSecondLater()).isEqualTo(10_000_000);
        }
        assertThat(told)
                .containsExactly(
                        "the limit stays as it is: the file " + file + " cannot be read: no such file or directory");

        Files.writeString(file, "10M");
        assertThat(aSecondLater()).isEqualTo(10_000_000);
        Files.delete(file);
        aSecondLater();
        aSecondLater();
        assertThat(told).hasSize(2);
    }

    /** A program that writes the file may first make it empty. */
    @Test
    void shouldNotTellOfAFileThatIsEmptyForAMoment() throws Exception {
        Files.writeString(file, "");
        aSecondLater();
        Files.writeString(file, "20M");

        assertThat(aSecondLater()).isEqualTo(20_000_000);
        assertThat(told).isEmpty();
    }

    @Test
    void shouldTellOfWhatIsNoRate() throws Exception {
        Files.writeString(file, "fast");

        assertThat(aSecondLater()).isEqualTo(10_000_000);
        aSecondLater();
        assertThat(told).singleElement().asString().startsWith("the limit stays as it is: fast is no rate");
    }
}
