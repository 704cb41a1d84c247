package io.verbena.rpcsec.gss.internal;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A security context of a client. Thread safe. */
final class InitiatorContext {
    private final Mechanism mechanism;
    private final ByteBuffer handle;
    private final long endNanos;
    private final AtomicInteger sequence = new AtomicInteger();

    /**
     * @param handle the server's name of the context
     * @param endNanos when the context is to be used no more, on the runtime's clock
     */
    InitiatorContext(Mechanism mechanism, ByteBuffer handle, long endNanos) {
        this.mechanism = mechanism;
        this.handle = handle;
        this.endNanos = endNanos;
    }

    Mechanism mechanism() {
        return mechanism;
    }

    /** The next sequence number; 0 where there are no more. */
    int next() {
        int next = sequence.getAndUpdate(last -> last == GssCredential.MAX_SEQUENCE ? last : last + 1) + 1;
        return Math.max(next, 0);
    }

    ByteBuffer handle() {
        return handle.duplicate();
    }

    boolean hasEnded(long nowNanos) {
        return nowNanos - endNanos >= 0 || sequence.get() == GssCredential.MAX_SEQUENCE;
    }
}
