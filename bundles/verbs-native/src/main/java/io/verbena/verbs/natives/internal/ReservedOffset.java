package io.verbena.verbs.natives.internal;

/**
 * Keeps a device's kernel driver from giving out one offset at which queues are mapped into this process: libsiw takes
 * 0x90000 for the sign that there is no mapping, and fails to make a queue, without an error number, where the kernel
 * gives it that. Offsets are given from 0 on, those of queues that are gone again first; a process comes there
 * with some 24 queue pairs at once. A completion queue that spans the offset, and that nobody uses, holds it.
 */
final class ReservedOffset {
    /** Of the 32 octets that siw has for one; with those of the queue the offset is passed wherever below it starts. */
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
