package io.verbena.verbs.natives.internal.queue;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaConnection;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * The posts of a send queue whose completion was not delivered yet, in order; a post's slot is its number modulo the
 * depth of the queue. One completion covers all posts before it except reads: some devices complete a send that follows
 * a read before that read. Every call is made under the lock of the {@link SendQueue}. Error Prone checks that at the
 * SendQueue's field, since the lock has no name in this class.
 */
final class PostedSends {
    private final int depth;
    private final LongConsumer release;
    private final ConnectionTap tap;
    private final long[] ids;
    private final Operation[] operations;
    private final boolean[] signaled;
    private final int[] lengths;
    private final long[] sinks;
    private final ByteBuffer[] reads;
    private final Status[] statuses;
    private long head;
    private long marked;
    private long tail;
    private long taken;
    /** The number of the last post whose completion someone awaits; -1 where there is none. */
    private long lastAwaited = -1;

    /** @param release frees the registration of a single read */
    PostedSends(int depth, LongConsumer release, ConnectionTap tap) {
        this.depth = depth;
        this.release = release;
        this.tap = tap;
        ids = new long[depth];
        operations = new Operation[depth];
        signaled = new boolean[depth];
        lengths = new int[depth];
        sinks = new long[depth];
        reads = new ByteBuffer[depth];
        statuses = new Status[depth];
    }

    /** The number of the next post. */
    long next() {
        return tail;
    }

    boolean isFull() {
        return tail - head == depth;
    }

    void add(long id, Operation operation, int flags) {
        add(id, operation, 0, 0, null, flags);
    }

    /**
     * @param sink a registration that lives until the read is complete, or 0
     * @param data where observers find what was read, or null
     */
    void addRead(long id, int length, long sink, ByteBuffer data, int flags) {
        add(id, Operation.RDMA_READ, length, sink, data, flags);
    }

    private void add(long id, Operation operation, int length, long sink, ByteBuffer data, int flags) {
        int slot = slot(tail);
        ids[slot] = id;
        operations[slot] = operation;
        signaled[slot] = (flags & RdmaConnection.UNSIGNALED) == 0;
        lengths[slot] = length;
        sinks[slot] = sink;
        reads[slot] = data;
        statuses[slot] = null;
        if (isDelivered(slot)) {
            lastAwaited = tail;
        }
        tail++;
    }

    /** Whether someone awaits the completion of a post that is not delivered yet. */
    boolean isAwaited() {
        return lastAwaited >= head;
    }

    /** Notes that the device has taken all posts. */
    void handedOver() {
        taken = tail;
    }

    /** Notes that the device has completed a post. */
    void complete(long number, Status status) {
        completeBefore(number, status);
        statuses[slot(number)] = status;
        leave();
    }

    /** Takes out what is done and is delivered to nobody. */
    private void leave() {
        while (head < tail && statuses[slot(head)] == Status.SUCCESS && !isDelivered(slot(head))) {
            head++;
        }
    }

    private boolean isDelivered(int slot) {
        return signaled[slot] || sinks[slot] != 0 || reads[slot] != null;
    }

    /** Notes that the device has completed a bind that was posted before a post. */
    void bound(long number, Status status) {
        completeBefore(number, status);
        leave();
    }

    /**
     * Completes the posts before a request. Before a flushed request a post may be done or not; before another request
     * it is done.
     */
    private void completeBefore(long number, Status status) {
        Status before = status == Status.FLUSHED ? Status.FLUSHED : Status.SUCCESS;
        for (marked = Math.max(marked, head); marked < number; marked++) {
            int slot = slot(marked);
            if (operations[slot] != Operation.RDMA_READ && statuses[slot] == null) {
                statuses[slot] = before;
            }
        }
    }

    /** Whether the device has posts that are not complete. */
    boolean isBusy() {
        for (long n = head; n < taken; n++) {
            if (statuses[slot(n)] == null) {
                return true;
            }
        }
        return false;
    }

    /** Moves completions into {@code target}; returns their number. */
    int drain(Completion[] target, boolean all) {
        int n = 0;
        while (n < target.length && head < tail) {
            int slot = slot(head);
            Status status = statuses[slot];
            if (status == null) {
                if (!all) {
                    break;
                }
                status = Status.FLUSHED;
            }
            if (sinks[slot] != 0) {
                release.accept(sinks[slot]);
                sinks[slot] = 0;
            }
            if (reads[slot] != null) {
                if (status == Status.SUCCESS) {
                    tap.readCompleted(head, reads[slot]);
                }
                reads[slot] = null;
            }
            if (signaled[slot] || status != Status.SUCCESS) {
                target[n++].set(ids[slot], operations[slot], status, status == Status.SUCCESS ? lengths[slot] : 0);
            }
            head++;
        }
        return n;
    }

    private int slot(long number) {
        return (int) (number % depth);
    }
}
