package io.verbena.nfs.nio.internal;

import io.verbena.nfs.MountReplacedException;

/** A mount of a {@link FakeServer}, and what became of it. */
final class FakeLife {
    private volatile MountReplacedException gone;
    private volatile boolean unsafe;

    MountReplacedException gone() {
        return gone;
    }

    boolean isUnsafe() {
        return unsafe;
    }

    /**
     * Another mount takes its place.
     *
     * @param loses whether what was written through it is lost
     */
    void end(boolean loses) {
        unsafe = loses;
        gone = new MountReplacedException("work", true);
    }
}
