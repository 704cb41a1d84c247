package io.verbena.verbs.trace.internal;

import java.util.concurrent.atomic.AtomicLong;

/** A provider's device, as the file describes it. Written by the writer's thread, read by any. */
final class TracedInterface {
    private final int number;
    private final AtomicLong frames = new AtomicLong();
    private final AtomicLong octets = new AtomicLong();

    TracedInterface(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    void wrote(int length) {
        frames.incrementAndGet();
        octets.addAndGet(length);
    }

    long frames() {
        return frames.get();
    }

    long octets() {
        return octets.get();
    }
}
