package io.verbena.nfs.nio.internal.mount;

import java.io.Closeable;
import java.io.IOException;

/** The steps of a close, each of which is done whatever another one throws. Belongs to one thread. */
public final class Closing {
    private Throwable first;

    public void run(Closeable step) {
        try {
            step.close();
        } catch (Throwable e) {
            if (first == null) {
                first = e;
            } else if (e != first) {
                first.addSuppressed(e);
            }
        }
    }

    /** Throws what the first step that has failed has thrown, with what others have thrown suppressed in it. */
    public void end() throws IOException {
        if (first instanceof IOException failure) {
            throw failure;
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
    }
}
