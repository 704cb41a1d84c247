package io.verbena.nfs.nio.internal.mount;

import java.io.IOException;

/**
 * Calls that an earlier interrupt does not prevent, as in java.nio for local files and attributes. An interrupt that
 * comes while a thread waits for the server does end the wait, since a server may be away for long.
 */
public final class Interrupts {
    private Interrupts() {}

    /** A call that waits for the server. */
    @FunctionalInterface
    public interface Step<T> {
        T run() throws IOException;
    }

    /** Executes the call with the thread's interrupt cleared, and sets the interrupt again afterwards. */
    public static <T> T deferred(Step<T> step) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            return step.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
