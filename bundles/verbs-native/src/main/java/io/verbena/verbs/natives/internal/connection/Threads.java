package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.natives.internal.Log;
import java.util.concurrent.TimeUnit;

/** Creates threads, and waits for their end. */
public final class Threads {
    /** How long closing an object waits for the threads that it runs. */
    private static final long END_SECONDS = 30;

    private Threads() {}

    /** Creates a daemon thread, which is not started. */
    public static Thread make(String name, Runnable work) {
        Thread thread = new Thread(work, "native-" + name);
        thread.setDaemon(true);
        return thread;
    }
    /** The deadline for an end that begins now, as of {@link System#nanoTime}. */
    public static long endDeadline() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
    }

    /**
     * Waits until the thread has ended, unless it is the calling thread. An interrupt does not end the wait. A thread
     * that still runs at the deadline hangs in code of others, such as a handler: the log shows its stack.
     *
     * @return whether the thread has ended or is the calling one
     */
    public static boolean joinUnlessCurrent(Thread thread, long deadline) {
        if (thread == Thread.currentThread()) {
            return true;
        }
        boolean interrupted = false;
        long left = 1;
        while (thread.isAlive() && left > 0) {
            left = deadline - System.nanoTime();
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!thread.isAlive()) {
            return true;
        }
        IllegalStateException where = new IllegalStateException("it hangs here");
        where.setStackTrace(thread.getStackTrace());
        Log.LOGGER.error("{} did not end in time, and is left behind", thread.getName(), where);
        return false;
    }
}
