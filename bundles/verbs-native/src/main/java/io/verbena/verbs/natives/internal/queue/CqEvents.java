package io.verbena.verbs.natives.internal.queue;

import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import java.nio.ByteBuffer;

/**
 * The events of a completion channel that has one completion queue. One acknowledgement covers many events, since it
 * takes a lock of the library. One thread at a time.
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

    /** Takes one event where there is one. */
    void take() throws NativeException {
        if (verbs.takeCqEvent(channel, resultAddress)) {
            taken++;
            if (taken == ACKNOWLEDGED_AT_ONCE) {
                acknowledge();
            }
        }
    }

    /**
     * Acknowledges all events that were taken. Must be called before the completion queue is destroyed: that call waits
     * for it.
     */
    void acknowledge() {
        if (taken > 0) {
            verbs.ackCqEvents(cq, taken);
            taken = 0;
        }
    }
}
