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
    boolean inOctets();

    @Override
    void close() throws IOException;
}
