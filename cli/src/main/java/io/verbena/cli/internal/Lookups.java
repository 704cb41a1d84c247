package io.verbena.cli.internal;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the shell asks servers for while somebody types, who waits for it: only for so long, however long a server takes.
 * Its threads end by themselves when nothing is asked for a while. May be called from any thread.
 */
public final class Lookups {
    private static final Logger LOG = LoggerFactory.getLogger(Lookups.class);
    private static final int MAX_THREADS = 4;
    private static final long KEEP_ALIVE_SECONDS = 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0, MAX_THREADS, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                Thread thread = new Thread(work, "verbena-completion");
                thread.setDaemon(true);
                return thread;
            });

    /** What may take longer than anybody waits. */
    @FunctionalInterface
    public interface Lookup {
        void run() throws Exception;
    }

    /**
     * Does it, and waits for that long at most; then it is interrupted.
     *
     * @return whether it was finished in time
     */
    public boolean within(Duration time, Lookup lookup) {
        try {
            Future<?> future = threads.submit(() -> {
                lookup.run();
                return null;
            });
            try {
                future.get(time.toNanos(), TimeUnit.NANOSECONDS);
                return true;
            } finally {
                future.cancel(true);
            }
        } catch (ExecutionException | RejectedExecutionException e) {
            LOG.debug("nothing found", e);
        } catch (TimeoutException e) {
            LOG.debug("not found in {}", time, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    void end() {
        threads.shutdownNow();
    }
}
