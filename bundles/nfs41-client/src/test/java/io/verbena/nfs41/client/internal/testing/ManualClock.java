package io.verbena.nfs41.client.internal.testing;

import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The system's runtime, except that the test advances the monotonic clock. Thread safe. */
public class ManualClock extends SystemRuntime {
    private final AtomicLong nanos;

    public ManualClock(long startNanos) {
        this.nanos = new AtomicLong(startNanos);
    }

    public void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Override
    public long nanoTime() {
        return nanos.get();
    }
}
