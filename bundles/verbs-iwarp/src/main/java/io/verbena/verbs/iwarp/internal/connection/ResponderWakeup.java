package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.runtime.Runtime;
import io.verbena.verbs.iwarp.internal.stream.Transmitter;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;

/**
 * Wakes a responder that does not listen yet. Linux's siw sends its MPA reply before it sets its callbacks on the
 * socket; octets that arrive in between stay unread until more arrive. So an initiator that receives nothing sends an
 * empty RDMA Write. Only the receive thread calls this; {@link #start} is called before that thread runs.
 */
final class ResponderWakeup {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Runtime runtime;
    private long intervalNanos;
    private long due;
    private int left;

    ResponderWakeup(Runtime runtime) {
        this.runtime = runtime;
    }

    /** Sends that many empty writes at most, at that interval, until the first FPDU arrives. */
    void start(int times, long intervalMillis) {
        left = times;
        intervalNanos = intervalMillis * NANOS_PER_MILLI;
        due = runtime.nanoTime() + intervalNanos;
    }

    void stop() {
        left = 0;
    }

    /** The time until the next write; negative for no end. */
    long waitMillis() {
        return left == 0 ? -1 : Math.max(1, (due - runtime.nanoTime()) / NANOS_PER_MILLI + 1);
    }

    void check(Transmitter transmitter) {
        if (left > 0 && due - runtime.nanoTime() <= 0) {
            left--;
            due = runtime.nanoTime() + intervalNanos;
            transmitter.control(Iwarp.WRITE);
        }
    }
}
