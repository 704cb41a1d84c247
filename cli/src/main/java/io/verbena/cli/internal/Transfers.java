package io.verbena.cli.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.support.CommandException;

/**
 * Tracks the running transfers. Commands run on threads of the shell, which nothing waits for when this bundle or the
 * container stops. This class waits for them, so that no incomplete file remains. Thread safe.
 */
public final class Transfers {
    @GuardedBy("this")
    private final Set<Thread> running = new HashSet<>();

    @GuardedBy("this")
    private Optional<String> end = Optional.empty();

    /** A transfer of files that cleans up when it is interrupted. */
    @FunctionalInterface
    public interface Transfer<T> {
        T run() throws IOException, InterruptedException, CommandException;
    }

    /**
     * Runs a transfer on the calling thread. After {@link #end}, no transfer starts, and an interrupted transfer
     * reports the reason.
     */
    <T> T run(Transfer<T> transfer) throws IOException, InterruptedException, CommandException {
        synchronized (this) {
            if (end.isPresent()) {
                throw new CommandFailure(ExitStatus.INTERRUPTED, end.get());
            }
            running.add(Thread.currentThread());
        }
        try {
            return transfer.run();
        } catch (IOException | InterruptedException e) {
            Optional<String> reason = end();
            if (reason.isPresent() && ExitStatus.of(e) == ExitStatus.INTERRUPTED) {
                throw new CommandFailure(ExitStatus.INTERRUPTED, reason.get(), e);
            }
            throw e;
        } finally {
            synchronized (this) {
                running.remove(Thread.currentThread());
                notifyAll();
            }
        }
    }

    private synchronized Optional<String> end() {
        return end;
    }

    /**
     * Interrupts the running transfers, and waits for them to clean up.
     *
     * @param reason the reason that users read
     * @param timeout the longest wait
     */
    synchronized void end(String reason, long timeout, TimeUnit unit) throws InterruptedException {
        end = Optional.of(reason);
        running.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        for (long left = unit.toNanos(timeout); !running.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
