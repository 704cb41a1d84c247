package io.verbena.nfs.transfer.internal.failure;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attaches actions to futures whose outcome no thread waits for. Exceptions of the actions are logged. Other classes of
 * this bundle do not attach actions to futures without waiting for the result.
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
                LOG.warn("what was to be done at the end of something failed", e);
            }
        });
    }
}
