package io.verbena.verbs.natives.internal.queue;

import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import java.nio.ByteBuffer;

/**
 * The events of a completion channel that has two completion queues. One acknowledgement covers many events, since it
 * takes a lock of the library. One thread at a time.
 */
final class CqEvents {
    private static final int ACKNOWLEDGED_AT_ONCE = 64;

    private final Ibverbs verbs;
    private final long channel;
    private final long[] cqs;
    private final int[] taken;
    private final ByteBuffer result = NativeMemory.allocate(2 * Long.BYTES);
    private final long resultAddress = NativeMemory.addressOf(result);

    CqEvents(Ibverbs verbs, long channel, long... cqs) {
        this.verbs = verbs;
        this.channel = channel;
        this.cqs = cqs;
        taken = new int[cqs.length];
    }

    /** Takes one event where there is one, and returns its completion queue; 0 where there is none. */
    long take() throws NativeException {
        if (!verbs.takeCqEvent(channel, resultAddress)) {
            return 0;
        }
        long cq = NativeMemory.getLong(resultAddress);
        for (int i = 0; i < cqs.length; i++) {
            if (cqs[i] == cq && ++taken[i] == ACKNOWLEDGED_AT_ONCE) {
                acknowledge(i);
            }
        }
        return cq;
    }

    /**
     * Acknowledges all events that were taken. Must be called before a completion queue is destroyed: that call waits
     * for it.
     */
    void acknowledge() {
        for (int i = 0; i < cqs.length; i++) {
            acknowledge(i);
        }
    }

    private void acknowledge(int index) {
        if (taken[index] > 0) {
            verbs.ackCqEvents(cqs[index], taken[index]);
            taken[index] = 0;
        }
    }
}
