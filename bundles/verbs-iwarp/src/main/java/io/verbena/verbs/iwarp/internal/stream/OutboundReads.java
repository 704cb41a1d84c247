package io.verbena.verbs.iwarp.internal.stream;

/**
 * This end's RDMA Reads that are sent and not yet answered, in order. Their number stays within the limit that was
 * negotiated (ORD, RFC 6581 section 4). Every call is made under the lock of the {@link Transmitter}. Error Prone
 * checks that at the Transmitter's field, since the lock has no name in this class.
 */
final class OutboundReads {
    private final WorkRequest[] ring;
    private final int limit;
    private long head;
    private long tail;

    /**
     * @param limit the most reads in flight
     * @param depth the most work requests in the send queue
     */
    OutboundReads(int limit, int depth) {
        this.limit = limit;
        ring = new WorkRequest[Math.max(1, Math.min(limit, depth))];
    }

    /** Whether a read can ever be sent. */
    boolean areAllowed() {
        return limit > 0;
    }

    /** Whether a further read has to wait until an earlier one is answered. */
    boolean isFull() {
        return tail - head >= limit;
    }

    /** Notes that a read is sent. */
    void add(WorkRequest read) {
        ring[(int) (tail++ % ring.length)] = read;
    }

    /** The oldest read in flight, which the next Read Response answers; or null. */
    WorkRequest oldest() {
        return head == tail ? null : ring[(int) (head % ring.length)];
    }

    /** The response to the oldest read is complete. */
    void responded() {
        ring[(int) (head++ % ring.length)].responded = true;
    }
}
