package io.verbena.simulation.world;

import java.util.List;
import java.util.Map;

/**
 * What became of a world.
 *
 * @param failures empty where everything was as it should be
 * @param hash of all events
 * @param nanos the virtual time that the world took
 * @param faults how many there were, by kind
 * @param consequences of faults, by kind: what the network or the disk then refused
 * @param possibleFaults how many the seed has had time for
 * @param operations of the workers
 * @param counts how often the counter under the lock was counted up
 * @param lost strands that could not be ended
 */
public record Outcome(
        long seed,
        List<String> failures,
        long hash,
        long steps,
        long nanos,
        Map<String, Long> faults,
        Map<String, Long> consequences,
        int possibleFaults,
        long operations,
        long counts,
        int lost) {
    /** That of a world that could not be run to its end. */
    public static Outcome failed(long seed, String failure) {
        return new Outcome(seed, List.of(failure), 0, 0, 0, Map.of(), Map.of(), 0, 0, 0, 0);
    }
}
