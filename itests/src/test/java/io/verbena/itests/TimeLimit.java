package io.verbena.itests;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs an action, such as ending a process, when a time limit is exceeded, unless it is closed before. */
public final class TimeLimit implements AutoCloseable {
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final CompletableFuture<Void> watch;

    /**
     * Starts the time limit.
     *
     * @param late the action, which must return at once; it runs on a thread of its own
     */
    public TimeLimit(Duration limit, Runnable late) {
        watch = closed.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).whenComplete((none, timeout) -> {
            if (timeout != null) {
                late.run();
            }
        });
    }

    /** Ends a process and its descendants at the limit; their output can still be read. */
    public static TimeLimit on(Process process, Duration limit) {
        return new TimeLimit(limit, () -> process.toHandle().destroyForcibly());
    }

    /** Whether the limit was exceeded. */
    public boolean isExceeded() {
        return watch.isCompletedExceptionally();
    }

    @Override
    public void close() {
        closed.complete(null);
    }
}
