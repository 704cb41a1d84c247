package io.verbena.management;

import java.util.Map;

/** The direct memory of all buffers, with the object name {@code io.verbena:type=Memory}. */
public interface MemoryMXBean {
    /** Returns the largest number of octets that all buffers together may hold. */
    long getLimit();

    /** Returns the number of octets that all buffers hold now. */
    long getLeased();

    /**
     * Returns the number of octets that the budget has allocated from the JVM: leased memory, and memory kept for the
     * next leases.
     */
    long getAllocated();

    /** Returns the number of requests that wait for memory. */
    long getWaiting();

    /** Returns the octets that each share holds, by owner. The memory of a part counts for its share as well. */
    Map<String, Long> getHoldings();
}
