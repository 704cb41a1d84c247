package io.verbena.cli.internal.transfer;

import java.util.concurrent.TimeUnit;

/** The time, and waiting for it. */
interface TransferClock {
    TransferClock SYSTEM = new TransferClock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    };

    /** As {@link System#nanoTime}. */
    long nanos();

    void sleep(long nanos) throws InterruptedException;
}
