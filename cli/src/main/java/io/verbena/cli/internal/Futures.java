package io.verbena.cli.internal;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attaches actions to futures whose result no thread waits for. Exceptions of the actions are logged. Other classes of
 * this bundle use this class for such actions.
 */
public final class Futures {
    private static final Logger LOG = LoggerFactory.getLogger(Futures.class);

    private Futures() {}

    /**
     * Runs an action when a future completes, whether normally or exceptionally. An exception of the action is logged.
     */
    public static void whenOver(CompletableFuture<?> future, Runnable action) {
        CompletableFuture<?> unused = future.whenComplete((value, failure) -> {
            try {
                action.run();
            } catch (Throwable e) {
                LOG.warn("an action at the end of an operation failed", e);
            }
        });
    }
}
