package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.simulation.world.Outcome;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
    private final Set<Long> seen = new ConcurrentSkipListSet<>();

    @Test
    void shouldRunEachSeed() throws Exception {
        assertThat(new Main(RunOptions.of("--seeds", "3..6", "--jobs", "2"), this::passing).runAll())
                .isZero();
        assertThat(seen).containsExactly(3L, 4L, 5L, 6L);
    }

    @Test
    void shouldFailForAWorldThatCannotBeRunAndRunTheOthers() throws Exception {
        assertThat(new Main(RunOptions.of("--seeds", "0..9", "--jobs", "1"), this::broken).runAll())
                .isEqualTo(1);
        assertThat(seen).hasSize(10);
    }

    @Test
    void shouldFailForAWorldThatHasFailed() throws Exception {
        assertThat(new Main(RunOptions.of("--seeds", "7"), seed -> Outcome.failed(seed, "lost")).runAll())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--seeds",
                "--seeds 9..3",
                "--seeds 1..2..3",
                "--seeds a",
                "--seeds 0..9 --jobs 0",
                "--seeds 0..9 --jobs 1025",
                "--seeds 0..9 --minutes 0",
                "--seeds 0..9 --minutes 1000001",
                "--seeds 0..9 --story 1",
                "--story 1 --shrink 1",
                "--story 1 --jobs 2",
                "--seeds 0 --seeds 1",
                "--what 1"
            })
    void shouldRefuse(String arguments) {
        assertThatIllegalArgumentException().isThrownBy(() -> RunOptions.of(arguments.split(" ", -1)));
    }

    private Outcome passing(long seed) {
        seen.add(seed);
        return new Outcome(seed, List.of(), 0, 0, 0, Map.of(), Map.of(), 0, 0, 0, 0);
    }

    private Outcome broken(long seed) throws IOException {
        seen.add(seed);
        switch ((int) seed) {
            case 2 -> throw new IOException("no folder");
            case 4 -> throw new StackOverflowError();
            default -> {
                return passing(seed);
            }
        }
    }
}
