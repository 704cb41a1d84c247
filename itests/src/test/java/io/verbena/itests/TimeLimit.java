package io.verbena.itests;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Does something about what takes too long, as ending a process that somebody reads from, unless it is closed before. */
public final class TimeLimit implements AutoCloseable {
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final CompletableFuture<Void> watch;

    /**
     * Begins to count.
     *
     * @param late ends at once; on a thread of its own
     */
    public TimeLimit(Duration limit, Runnable late) {
        watch = closed.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).whenComplete((none, timeout) -> {
            if (timeout != null) {
                late.run();
            }
        });
    }

    /** Ends that process with what it has begun; what it has said can still be read. */
    public static TimeLimit on(Process process, Duration limit) {
        return new TimeLimit(limit, () -> process.toHandle().destroyForcibly());
    }

    /** Whether it took too long. */
    public boolean isExceeded() {
        return watch.isCompletedExceptionally();
    }

    @Override
    public void close() {
        closed.complete(null);
    }
}
