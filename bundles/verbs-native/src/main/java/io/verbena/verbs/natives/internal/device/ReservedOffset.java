package io.verbena.verbs.natives.internal.device;

import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;

/**
 * Reserves one of the offsets at which a kernel driver maps queues into this process. libsiw takes the offset 0x90000
 * for a sign that there is no mapping, and fails to create a queue, without an error number, where the kernel assigns
 * that offset. The kernel assigns offsets from 0 on, those of destroyed queues first, so a process reaches 0x90000 with
 * about 24 queue pairs at once. An unused completion queue that spans the offset reserves it.
 */
final class ReservedOffset {
    /**
     * The entries of the reserving queue, of 32 octets each in siw: enough to span the offset wherever below it the
     * queue starts.
     */
    private static final int ENTRIES = 0x90000 / 32 + 1;

    private final Ibverbs verbs;
    private final long cq;

    private ReservedOffset(Ibverbs verbs, long cq) {
        this.verbs = verbs;
        this.cq = cq;
    }

    static ReservedOffset of(Ibverbs verbs, long context) throws NativeException {
        return new ReservedOffset(verbs, verbs.createCq(context, ENTRIES, 0));
    }

    void release() {
        try {
            verbs.destroyCq(cq);
        } catch (NativeException e) {
            Log.LOGGER.warn("freeing the completion queue that holds an offset failed", e);
        }
    }
}
