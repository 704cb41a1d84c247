package io.verbena.cli.internal.resident;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.LongSupplier;

/** How many scripts run, how many may, and since when none does. Thread safe. */
final class Occupancy {
    private final int most;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private long taken;

    @GuardedBy("this")
    private boolean isEnding;

    @GuardedBy("this")
    private long idleSince;

    /**
     * Creates it, with nothing running.
     *
     * @param most how many scripts may run at a time
     * @param nanoTime the clock, as {@link System#nanoTime}
     */
    Occupancy(int most, LongSupplier nanoTime) {
        this.most = most;
        this.nanoTime = nanoTime;
        this.idleSince = nanoTime.getAsLong();
    }

    /** Lets a script in. Returns false if it has to run elsewhere. */
    synchronized boolean enter() {
        if (isEnding || running >= most) {
            return false;
        }
        running++;
        taken++;
        return true;
    }

    /** A script that was let in has ended. */
    synchronized void leave() {
        running--;
        idleSince = nanoTime.getAsLong();
    }

    /** Lets no further script in. */
    synchronized void end() {
        isEnding = true;
    }

    /**
     * Lets no further script in if none runs.
     *
     * @param nanos how long none has to have run
     * @return whether this is so
     */
    synchronized boolean endIfIdle(long nanos) {
        if (running == 0 && nanoTime.getAsLong() - idleSince >= nanos) {
            isEnding = true;
        }
        return isEnding && running == 0;
    }

    synchronized int running() {
        return running;
    }

    /** Returns how many scripts were let in so far. */
    synchronized long taken() {
        return taken;
    }
}
