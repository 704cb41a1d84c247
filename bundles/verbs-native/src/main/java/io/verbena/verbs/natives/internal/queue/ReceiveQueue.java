package io.verbena.verbs.natives.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.memory.NativeRegion;
import io.verbena.verbs.natives.internal.struct.ReceiveRequests;

/**
 * The receive queue. Posts are numbered from 0 on; the work request id for the device is that number with {@link
 * #RECEIVE}. Any thread.
 */
public final class ReceiveQueue {
    /** Marks the work request id of a receive. */
    public static final long RECEIVE = 1L << 63;

    private final Ibverbs verbs;
    private final long qp;
    private final int depth;

    @GuardedBy("this")
    private final ReceiveRequests request;

    private final ConnectionTap tap;

    // the arrays are rings, by number modulo depth
    @GuardedBy("this")
    private final long[] ids;

    @GuardedBy("this")
    private final Status[] statuses;

    @GuardedBy("this")
    private final int[] lengths;

    @GuardedBy("this")
    private final boolean[] invalidated;

    @GuardedBy("this")
    private final int[] invalidatedTags;

    @GuardedBy("this")
    private final NativeRegion[] regions;

    @GuardedBy("this")
    private final long[] offsets;

    @GuardedBy("this")
    private long head;

    @GuardedBy("this")
    private long tail;

    @GuardedBy("this")
    private boolean closed;

    public ReceiveQueue(Ibverbs verbs, long qp, int depth, ReceiveRequests request, ConnectionTap tap) {
        this.verbs = verbs;
        this.qp = qp;
        this.depth = depth;
        this.request = request;
        this.tap = tap;
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
     * @param address the address of the first octet for the device
     * @param region the region in which observers find the received message, from {@code offset} on
     */
    public synchronized void post(long id, long address, int length, int lkey, NativeRegion region, long offset)
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

    /** Notes that the device has completed a receive; the length counts where the receive succeeded. */
    synchronized void complete(long deviceId, Status status, int length) {
        int slot = slot(deviceId & ~RECEIVE);
        statuses[slot] = status;
        lengths[slot] = status == Status.SUCCESS ? length : 0;
    }

    /** Notes the tag that the message has invalidated; called before {@link #complete}. */
    synchronized void invalidated(long deviceId, int tag) {
        int slot = slot(deviceId & ~RECEIVE);
        invalidated[slot] = true;
        invalidatedTags[slot] = tag;
    }

    /** Refuses posts from now on. */
    public synchronized void close() {
        closed = true;
    }

    /** Whether the device has receives that are not complete. */
    public synchronized boolean isBusy() {
        return head < tail && statuses[slot(tail - 1)] == null;
    }

    /** Moves completions into {@code target}, in order; returns their number. Only the receive thread calls this. */
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
            if (status == Status.SUCCESS && tap.isObserved()) {
                tap.received(
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
