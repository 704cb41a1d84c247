package io.verbena.verbs.iwarp.internal;

/**
 * Wakes a responder that does not listen yet. Linux's siw sends its MPA reply before it hooks into the socket: what
 * arrives in between lies there until more comes. So an initiator that hears nothing sends an empty RDMA Write. The
 * receive thread's own, but for {@link #start} before that thread runs.
 */
final class Kicker {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private long intervalNanos;
    private long due;
    private int left;

    /** Kicks that often until the first FPDU comes, at that interval. */
    void start(int times, long intervalMillis) {
        left = times;
        intervalNanos = intervalMillis * NANOS_PER_MILLI;
        due = System.nanoTime() + intervalNanos;
    }

    void stop() {
        left = 0;
    }

    /** How long until the next; negative: for ever. */
    long waitMillis() {
        return left == 0 ? -1 : Math.max(1, (due - System.nanoTime()) / NANOS_PER_MILLI + 1);
    }

    void check(Transmitter transmitter) {
        if (left > 0 && due - System.nanoTime() <= 0) {
            left--;
            due = System.nanoTime() + intervalNanos;
            transmitter.control(Iwarp.WRITE);
        }
    }
}
