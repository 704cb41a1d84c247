package io.verbena.nfs41.server.internal.vfs;

import io.verbena.nfs41.server.internal.util.IoErrors;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Opens what takes a descriptor. Where this process or the host has none left, what is open without being in use is
 * closed, and the open is tried once more. Thread safe.
 */
final class Descriptors {
    private final BooleanSupplier closeUnused;

    /** @param closeUnused closes what is not in use, returns whether there was anything, and waits for no disk */
    Descriptors(BooleanSupplier closeUnused) {
        this.closeUnused = closeUnused;
    }

    /** Opens something, or leaves nothing behind. */
    @FunctionalInterface
    interface Opening<T> {
        T open() throws IOException;
    }

    <T> T open(Opening<T> opening) throws IOException {
        try {
            return opening.open();
        } catch (IOException e) {
            if (!IoErrors.isOutOfDescriptors(e) || !closeUnused.getAsBoolean()) {
                throw e;
            }
        }
        return opening.open();
    }
}
