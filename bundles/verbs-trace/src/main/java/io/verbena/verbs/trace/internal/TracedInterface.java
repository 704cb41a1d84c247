package io.verbena.verbs.trace.internal;

import java.util.concurrent.atomic.AtomicLong;

/** A provider's device as described in the file. The writer's thread writes it, any thread reads it. */
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
