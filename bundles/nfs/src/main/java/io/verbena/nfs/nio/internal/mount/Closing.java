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
            failed(e);
        }
    }

    /** A step that was done elsewhere has thrown this. */
    public void failed(Throwable thrown) {
        if (first == null) {
            first = thrown;
        } else if (thrown != first) {
            first.addSuppressed(thrown);
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
