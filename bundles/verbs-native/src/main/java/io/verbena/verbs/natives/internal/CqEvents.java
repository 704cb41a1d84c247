package io.verbena.verbs.natives.internal;

import java.nio.ByteBuffer;

/**
 * The events of a completion channel that has one completion queue. An acknowledgement takes a lock of the library's, so
 * one stands for many events. One thread at a time.
 */
final class CqEvents {
    private static final int ACKNOWLEDGED_AT_ONCE = 64;

    private final Ibverbs verbs;
    private final long channel;
    private final long cq;
    private final ByteBuffer result = NativeMemory.allocate(2 * Long.BYTES);
    private final long resultAddress = NativeMemory.addressOf(result);
    private int taken;

    CqEvents(Ibverbs verbs, long channel, long cq) {
        this.verbs = verbs;
        this.channel = channel;
        this.cq = cq;
    }

    /** Takes one event if one waits. */
    void take() throws NativeException {
        if (verbs.takeCqEvent(channel, resultAddress)) {
            taken++;
            if (taken == ACKNOWLEDGED_AT_ONCE) {
                acknowledge();
            }
        }
    }

    /** Has to be called before the completion queue is destroyed: that waits for it. */
    void acknowledge() {
        if (taken > 0) {
            verbs.ackCqEvents(cq, taken);
            taken = 0;
        }
    }
}
