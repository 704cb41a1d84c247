package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The polling phase: for a short time the receive thread looks for octets again and again before it blocks, since a
 * thread that blocks is woken late. Where looking has been in vain twice, most waits have no polling phase until one
 * succeeds again, so that an idle connection costs nothing. A phase in which others
 * had the processor for longer than the phase may last is in vain, whatever comes of it. Only the receive thread calls
 * this.
 */
final class PollPhase {
    /** Phases in vain, one after the other, before waits go without. */
    private static final int IN_VAIN = 2;
    /** The most waits without a phase between two phases in vain, as a power of two. */
    private static final int MOST_SKIPPED = 6;

    /** What the phase looks at. */
    interface Source {
        /** The operations that the socket is ready for; does not wait. */
        int look() throws IOException;

        /** Whether another thread has called for the receive thread since its last work; any look may take the call. */
        boolean isCalled();
    }

    private final Runtime runtime;
    private final long limitNanos;
    private int inVain;
    private int skipping;

    /** @param limitMicros the longest phase; 0: none */
    PollPhase(Runtime runtime, int limitMicros) {
        this.runtime = runtime;
        limitNanos = TimeUnit.MICROSECONDS.toNanos(limitMicros);
    }

    /**
     * Looks until the socket is ready, the receive thread is called, or the time is up.
     *
     * @param waitMillis how long the wait may take; 0: not at all; negative: without end
     * @return the operations that the socket is ready for; 0 for none
     */
    int poll(Source source, long waitMillis) throws IOException {
        if (limitNanos == 0 || waitMillis == 0) {
            return 0;
        }
        if (skipping > 0) {
            skipping--;
            return 0;
        }
        long limit = waitMillis < 0 ? limitNanos : Math.min(limitNanos, TimeUnit.MILLISECONDS.toNanos(waitMillis));
        long start = runtime.nanoTime();
        int operations;
        long taken;
        do {
            operations = source.look();
            taken = runtime.nanoTime() - start;
            if (operations == 0 && source.isCalled()) {
                return 0;
            }
            if (operations == 0) {
                Thread.onSpinWait();
            }
        } while (operations == 0 && taken < limit);
        if (operations != 0 && taken <= limit) {
            inVain = 0;
        } else { // nothing came, or others have had the processor meanwhile
            inVain = Math.min(inVain + 1, MOST_SKIPPED);
            skipping = inVain < IN_VAIN ? 0 : 1 << inVain;
        }
        return operations;
    }
}
