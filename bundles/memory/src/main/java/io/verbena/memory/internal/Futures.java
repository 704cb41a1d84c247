package io.verbena.memory.internal;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The only way to continue a future whose continuation is dropped: a throwable of the continuation is not lost. */
final class Futures {
    private static final Logger LOG = LoggerFactory.getLogger(Futures.class);

    private Futures() {}

    /** Runs an action once a future is complete, with a value or a failure; a throwable of the action is logged. */
    static void whenOver(CompletableFuture<?> future, Runnable action) {
        CompletableFuture<?> unused = future.whenComplete((value, failure) -> {
            try {
                action.run();
            } catch (Throwable e) {
                LOG.warn("what was to be done at the end of something failed", e);
            }
        });
    }
}
