package io.verbena.benchmarks;

import java.io.IOException;
import java.time.Duration;

/** Something whose speed is measured, many times and in turn with others. */
interface Case extends AutoCloseable {
    /** What it is called in the table. */
    String name();

    /**
     * Runs for about that long.
     *
     * @return octets or operations a second, as {@link #inOctets} tells
     */
    double run(Duration time) throws Exception;

    /** Whether {@link #run} returns octets a second, not operations. */
    boolean inOctets();

    @Override
    void close() throws IOException;
}
