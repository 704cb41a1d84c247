package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.verbs.iwarp.internal.memory.Region;

/**
 * The peer's RDMA Reads that are to be answered, in order: a ring of as many entries as were offered to the peer (IRD).
 * Every call is made under the lock of the {@link Transmitter}. Error Prone checks that at the Transmitter's field,
 * since the lock has no name in this class.
 */
public final class InboundReads {
    /** One RDMA Read of the peer. */
    static final class Entry {
        int sinkTag;
        long sinkOffset;
        /** Null for a read of no octets. */
        Region source;

        long sourceOffset;
        long size;
    }

    private final Entry[] ring;
    private long head;
    private long next;
    private long tail;

    public InboundReads(int limit) {
        ring = new Entry[limit];
        for (int i = 0; i < limit; i++) {
            ring[i] = new Entry();
        }
    }

    boolean add(int sinkTag, long sinkOffset, Region source, long sourceOffset, long size) {
        if (tail - head == ring.length) {
            return false;
        }
        Entry entry = ring[(int) (tail++ % ring.length)];
        entry.sinkTag = sinkTag;
        entry.sinkOffset = sinkOffset;
        entry.source = source;
        entry.sourceOffset = sourceOffset;
        entry.size = size;
        return true;
    }

    boolean hasNext() {
        return next != tail;
    }

    Entry take() {
        return ring[(int) (next++ % ring.length)];
    }

    /** Frees the entries of all reads that were taken: their responses are complete. */
    void answered() {
        while (head < next) {
            ring[(int) (head++ % ring.length)].source = null;
        }
    }
}
