package io.verbena.nfs.nio.internal;

import java.io.IOException;

/**
 * What an interrupt from before does not keep from being done, as java.nio has it for files and attributes on this host.
 * An interrupt that comes while the server is waited for ends the wait still: a server may be away.
 */
final class Interrupts {
    private Interrupts() {}

    /** Something that waits for the server. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws IOException;
    }

    /** Does it with the interrupt put aside, which is set again after it. */
    static <T> T deferred(Step<T> step) throws IOException {
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
