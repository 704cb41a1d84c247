package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.karaf.shell.support.CommandException;
import org.jline.utils.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the lines of a file in the foreground until the thread is interrupted: reads them again after the signal HUP,
 * and tells people and the service manager the state.
 */
final class Foreground {
    private static final Logger LOG = LoggerFactory.getLogger(Foreground.class);
    private static final String RELOAD = "HUP";
    private static final long STATUS_SECONDS = 10;
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(8);

    private final Served served;
    private final ServiceManager manager;
    private final Consumer<String> notes;

    /**
     * Prepares to serve.
     *
     * @param notes receives lines for people
     */
    Foreground(Served served, ServiceManager manager, Consumer<String> notes) {
        this.served = served;
        this.manager = manager;
        this.notes = notes;
    }

    /** Serves until the thread is interrupted, which is the end in order. Returns whether it was. */
    boolean run() throws CommandException {
        boolean isInterrupted = false;
        Semaphore reloads = new Semaphore(0);
        Object former = Signals.register(RELOAD, reloads::release);
        try {
            served.update();
            String told = served.status();
            notes.accept("ready: " + Text.printable(told));
            manager.tell("READY=1", "STATUS=" + told);
            serve(reloads, told);
        } catch (InterruptedException e) {
            // Ctrl-C and TERM are the ways to end
            LOG.debug("interrupted", e);
            isInterrupted = true;
            notes.accept("stopping");
        } finally {
            Signals.unregister(RELOAD, former);
            end();
        }
        return isInterrupted;
    }

    /**
     * Ends all, on a thread of its own: the shell may interrupt the thread of a command again while the command
     * ends.
     */
    private void end() throws CommandException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        manager.tell("STOPPING=1", "STATUS=stopping");
                        served.end();
                        end.complete(null);
                    } catch (Throwable e) {
                        end.completeExceptionally(e);
                    }
                },
                "verbena-serve-end");
        thread.setDaemon(true);
        thread.start();
        long deadline = System.nanoTime() + END_NANOS;
        while (!end.isDone() && System.nanoTime() - deadline < 0) {
            try {
                end.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                LOG.debug("interrupted again while what is served ends", e);
            } catch (ExecutionException e) {
                throw Failures.of(e.getCause() instanceof Exception known ? known : new IOException(e.getCause()));
            } catch (TimeoutException e) {
                LOG.warn("what is served has not ended in time", e);
            }
        }
    }

    private void serve(Semaphore reloads, String first) throws InterruptedException {
        String told = first;
        while (true) {
            if (reloads.tryAcquire(STATUS_SECONDS, TimeUnit.SECONDS)) {
                reloads.drainPermits();
                manager.tell("RELOADING=1", "MONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
                update();
                told = served.status();
                notes.accept("ready: " + Text.printable(told));
                manager.tell("READY=1", "STATUS=" + told);
            } else if (!served.status().equals(told)) {
                told = served.status();
                notes.accept(Text.printable(told));
                manager.tell("STATUS=" + told);
            }
        }
    }

    /** Reads the file again. A failure leaves what is served. */
    private void update() throws InterruptedException {
        try {
            served.update();
        } catch (CommandException e) {
            notes.accept("not reloaded in full: " + Text.printable(String.valueOf(e.getMessage())));
        }
    }
}
