package io.verbena.cli.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.support.CommandException;

/**
 * The transfers that run. Commands run on threads of the shell's, for which nobody waits when the container stops; so
 * that no half file stays behind, it waits here. Thread safe.
 */
public final class Transfers {
    // guarded by this
    private final Set<Thread> running = new HashSet<>();
    private boolean ended;

    /** What moves files, and tidies up when it is interrupted. */
    @FunctionalInterface
    public interface Transfer<T> {
        T run() throws IOException, InterruptedException, CommandException;
    }

    /** Runs a transfer on this thread; none begins any more after {@link #end}. */
    <T> T run(Transfer<T> transfer) throws IOException, InterruptedException, CommandException {
        synchronized (this) {
            if (ended) {
                throw new InterruptedIOException("the container stops");
            }
            running.add(Thread.currentThread());
        }
        try {
            return transfer.run();
        } finally {
            synchronized (this) {
                running.remove(Thread.currentThread());
                notifyAll();
            }
        }
    }

    /** Interrupts what runs and waits for it to tidy up, so long at most. */
    synchronized void end(long timeout, TimeUnit unit) throws InterruptedException {
        ended = true;
        running.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        for (long left = unit.toNanos(timeout); !running.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
