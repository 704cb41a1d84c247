package io.verbena.benchmarks;

import java.io.IOException;
import java.time.Duration;

/** A measured operation. Its runs alternate with those of other cases. */
interface Case extends AutoCloseable {
    /** The name of the case in the table. */
    String name();

    /**
     * Runs for about this time.
     *
     * @return octets or operations per second, as {@link #inOctets} tells
     */
    double run(Duration time) throws Exception;

    /** Whether {@link #run} returns octets per second instead of operations. */
    default boolean inOctets() {
        return false;
    }

    /** Gives back what the case alone uses. */
    @Override
    default void close() throws IOException {
        // most cases use what belongs to the benchmark
    }

    /**
     * The rounds before the measurement. Each case runs for five seconds in them, and three rounds at least: the JVM
     * compiles what it uses meanwhile.
     *
     * @param time the time of a round
     */
    static int warmUpRounds(Duration time) {
        return (int) Math.max(3, 5000 / Math.max(1, time.toMillis()));
    }
}
