package io.verbena.hadoop.internal.stream;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Attaches actions to futures whose outcome no thread waits for. Exceptions of the actions are logged. */
final class Futures {
    private static final Logger LOG = LoggerFactory.getLogger(Futures.class);

    private Futures() {}

    /** Runs an action when a future completes, whether normally or exceptionally. */
    static void whenOver(CompletableFuture<?> future, Runnable action) {
        CompletableFuture<?> unused = future.whenComplete((value, failure) -> {
            try {
                action.run();
            } catch (Throwable e) {
                LOG.warn("what was to be done at the end of a read failed", e);
            }
        });
    }
}
