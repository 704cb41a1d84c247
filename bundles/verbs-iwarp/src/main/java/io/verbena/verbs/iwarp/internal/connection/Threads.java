package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.iwarp.internal.Log;
import java.util.concurrent.TimeUnit;

/** Waits for threads to end. */
public final class Threads {
    /** How long closing an object waits for the threads that it runs. */
    private static final long END_SECONDS = 30;

    private Threads() {}

    /** The deadline for an end that begins now, on the runtime's clock. */
    public static long endDeadline(Runtime runtime) {
        return runtime.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
    }

    /**
     * Waits until a thread has ended, unless it is the calling thread. An interrupt does not end the wait. A thread
     * that still runs at the deadline hangs in code of others, such as a handler: the log shows its stack.
     *
     * @return whether the thread has ended or is the calling one
     */
    public static boolean joinUnlessCurrent(Runtime runtime, Thread thread, long deadline) {
        if (thread == Thread.currentThread()) {
            return true;
        }
        if (Closing.awaitEnd(runtime, thread, deadline)) {
            return true;
        }
        IllegalStateException where = new IllegalStateException("it hangs here");
        where.setStackTrace(thread.getStackTrace());
        Log.LOGGER.error("{} did not end in time, and is left behind", thread.getName(), where);
        return false;
    }
}
