package io.verbena.nfs.transfer.internal.engine;

import io.verbena.runtime.SystemRuntime;
import java.util.concurrent.atomic.AtomicLong;

/** A runtime whose time advances only when a thread or the test sleeps. */
final class FakeClock extends SystemRuntime {
    private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5);

    @Override
    public long nanoTime() {
        return time.get();
    }

    @Override
    public void sleep(long nanos) {
        time.addAndGet(nanos);
    }
}
