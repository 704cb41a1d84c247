package io.verbena.nfs41.server.internal.testing;

import io.verbena.runtime.SystemRuntime;
import java.util.function.LongSupplier;

/** The system's runtime, except that the test sets the monotonic clock. */
public final class ManualClock extends SystemRuntime {
    private final LongSupplier nanoTime;

    public ManualClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    @Override
    public long nanoTime() {
        return nanoTime.getAsLong();
    }
}
