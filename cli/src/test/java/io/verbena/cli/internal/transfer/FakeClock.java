package io.verbena.cli.internal.transfer;

import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only when somebody sleeps, or a test says so. */
final class FakeClock implements TransferClock {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);

    @Override
    public long nanos() {
        return now.get();
    }

    @Override
    public void sleep(long nanos) {
        now.addAndGet(nanos);
    }
}
