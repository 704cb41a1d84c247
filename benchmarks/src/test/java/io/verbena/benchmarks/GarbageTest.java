package io.verbena.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.benchmarks.Garbage.Octets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What an operation allocates stays what it is. The bounds are the figures of docs/performance.md and about 15 percent.
 * Both JVMs compile with their first compiler only (pom.xml), which leaves no allocation out: the figures are those of
 * the code as it is written, from the first thousand operations on.
 */
final class GarbageTest {
    private static final int OUTSTANDING = 16;
    private static final int OPERATIONS = 2000;
    private static final int BATCHES = 4;

    @ParameterizedTest
    @CsvSource({"READ 4 KiB, 4700, 2460", "GETATTR, 5910, 4560"})
    void shouldAllocateNoMoreForAnOperation(String operation, int client, int export, @TempDir Path directory)
            throws IOException {
        Octets least;
        try (Garbage garbage = new Garbage(directory)) {
            least = garbage.least(operation, OUTSTANDING, BATCHES, OPERATIONS);
        }

        String advice = operation + " allocates more on the %s than before. Find out where: an allocation profile of "
                + "`benchmarks/run -main io.verbena.benchmarks.Garbage` tells. Where the change is worth it, raise the "
                + "bound here and the figure in docs/performance.md.";
        assertThat(least.client()).as(advice, "client").isLessThanOrEqualTo(client);
        assertThat(least.export()).as(advice, "export").isLessThanOrEqualTo(export);
    }
}
