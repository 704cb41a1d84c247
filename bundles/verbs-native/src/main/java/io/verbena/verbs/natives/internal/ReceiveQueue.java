package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;

/** The receive queue. Posts are numbered from 0 on; the device's id is that number with {@link #RECEIVE}. Any thread. */
final class ReceiveQueue {
    /** Marks the id of a receive. */
    static final long RECEIVE = 1L << 63;

    private final Ibverbs verbs;
    private final long qp;
    private final int depth;
    private final ReceiveRequests request;
    private final Traffic traffic;

    // guarded by this; rings by number modulo depth
    private final long[] ids;
    private final Status[] statuses;
    private final int[] lengths;
    private final boolean[] invalidated;
    private final int[] invalidatedTags;
    private final NativeRegion[] regions;
    private final long[] offsets;
    private long head;
    private long tail;
    private boolean closed;

    ReceiveQueue(Ibverbs verbs, long qp, int depth, ReceiveRequests request, Traffic traffic) {
        this.verbs = verbs;
        this.qp = qp;
        this.depth = depth;
        this.request = request;
        this.traffic = traffic;
        ids = new long[depth];
        statuses = new Status[depth];
        lengths = new int[depth];
        invalidated = new boolean[depth];
        invalidatedTags = new int[depth];
        regions = new NativeRegion[depth];
        offsets = new long[depth];
    }

    static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    /**
     * @param address the device's for the first octet
     * @param region where observers find what is received, from {@code offset} on
     */
    synchronized void post(long id, long address, int length, int lkey, NativeRegion region, long offset)
            throws RdmaException {
        if (closed) {
            throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
        }
        if (tail - head == depth) {
            throw new RdmaException(Kind.QUEUE_FULL, "the receive queue is full");
        }
        request.clear();
        request.receive(RECEIVE | tail, address, length, lkey);
        int error = verbs.postReceive(qp, request.first(), request.badRequest());
        if (error != 0) {
            throw new RdmaException(Kind.DISCONNECTED, "ibv_post_recv failed with error number " + Math.abs(error));
        }
        int slot = slot(tail++);
        ids[slot] = id;
        statuses[slot] = null;
        invalidated[slot] = false;
        regions[slot] = region;
        offsets[slot] = offset;
    }

    /** The device has completed a receive; the octets count where it was a success. */
    synchronized void complete(long deviceId, Status status, int length) {
        int slot = slot(deviceId & ~RECEIVE);
        statuses[slot] = status;
        lengths[slot] = status == Status.SUCCESS ? length : 0;
    }

    /** Notes what the message has invalidated, before {@link #complete}. */
    synchronized void invalidated(long deviceId, int tag) {
        int slot = slot(deviceId & ~RECEIVE);
        invalidated[slot] = true;
        invalidatedTags[slot] = tag;
    }

    /** Takes no more posts. */
    synchronized void close() {
        closed = true;
    }

    /** Whether the device has receives that are not complete. */
    synchronized boolean isBusy() {
        return head < tail && statuses[slot(tail - 1)] == null;
    }

    /** Moves completions into {@code target}, in order; returns how many. The receive thread. */
    synchronized int drain(Completion[] target, boolean all) {
        int n = 0;
        while (n < target.length && head < tail) {
            int slot = slot(head);
            Status status = statuses[slot];
            if (status == null && !all) {
                break;
            }
            Completion c = target[n++];
            c.set(
                    ids[slot],
                    Operation.RECEIVE,
                    status == null ? Status.FLUSHED : status,
                    status == null ? 0 : lengths[slot]);
            if (invalidated[slot]) {
                c.setInvalidated(invalidatedTags[slot]);
            }
            if (status == Status.SUCCESS && traffic.isObserved()) {
                traffic.received(
                        invalidated[slot],
                        invalidated[slot] ? invalidatedTags[slot] : 0,
                        regions[slot].view(offsets[slot], lengths[slot]));
            }
            regions[slot] = null;
            head++;
        }
        return n;
    }

    private int slot(long number) {
        return (int) (number % depth);
    }
}
