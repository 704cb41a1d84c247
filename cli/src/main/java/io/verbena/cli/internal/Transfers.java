package io.verbena.cli.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.support.CommandException;

/**
 * The transfers that run. Commands run on threads of the shell's, for which nobody waits when this bundle or the container
 * stops; so that no half file stays behind, it waits here. Thread safe.
 */
public final class Transfers {
    // guarded by this
    private final Set<Thread> running = new HashSet<>();
    private Optional<String> end = Optional.empty();

    /** What moves files, and tidies up when it is interrupted. */
    @FunctionalInterface
    public interface Transfer<T> {
        T run() throws IOException, InterruptedException, CommandException;
    }

    /** Runs a transfer on this thread; none begins any more after {@link #end}, and those that it interrupts say why. */
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
     * Interrupts what runs and waits for it to tidy up, so long at most.
     *
     * @param reason what users read
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
