package io.verbena.verbs.iwarp.internal;

/**
 * The peer's reads that are to be answered, in order: a ring of as many as were offered to it (IRD). Guarded by the
 * {@link Transmitter}.
 */
final class InboundReads {
    /** One read of the peer's. */
    static final class Entry {
        int sinkTag;
        long sinkOffset;
        /** Null for a read of nothing. */
        Region source;

        long sourceOffset;
        long size;
    }

    private final Entry[] ring;
    private long head;
    private long next;
    private long tail;

    InboundReads(int limit) {
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

    /** The responses to all reads that were taken are complete. */
    void answered() {
        while (head < next) {
            ring[(int) (head++ % ring.length)].source = null;
        }
    }
}
