package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.internal.failure.FailureKind;
import java.io.IOException;
import java.util.Optional;

/** Removes what a copy that fails has created, although an interrupt stops the copy. */
final class CleanUp {
    /**
     * The largest number of attempts. The user may interrupt a copy several times, and what it has created must still
     * be removed.
     */
    private static final int MAX_ATTEMPTS = 3;

    /** Removes something. */
    @FunctionalInterface
    interface Removing {
        void run() throws IOException;
    }

    private CleanUp() {}

    /**
     * Runs a removal without the interrupt of the thread, which is set again afterwards.
     *
     * @return the failure of the last attempt; empty if one has succeeded
     */
    static Optional<IOException> run(Removing removing) {
        boolean isInterrupted = false;
        try {
            for (int attempt = 1; ; attempt++) {
                isInterrupted |= Thread.interrupted();
                try {
                    removing.run();
                    return Optional.empty();
                } catch (IOException e) {
                    if (FailureKind.of(e) != FailureKind.INTERRUPTED) {
                        return Optional.of(e);
                    }
                    isInterrupted = true;
                    if (attempt == MAX_ATTEMPTS) {
                        return Optional.of(e);
                    }
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
