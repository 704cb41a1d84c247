package io.verbena.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The octets of heap that this process has allocated, by all threads that are alive. */
final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    static long own() {
        long octets = 0;
        for (long each : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            octets += Math.max(0, each); // -1 for a thread that has ended meanwhile
        }
        return octets;
    }
}
