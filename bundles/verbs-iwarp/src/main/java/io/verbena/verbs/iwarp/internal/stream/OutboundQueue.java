package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.verbs.Completion;

/**
 * The send queue: a ring of preallocated work requests. In order of age they are sent and perhaps complete ({@code
 * head} to {@code sent}), in a batch ({@code sent} to {@code next}), and waiting ({@code next} to {@code tail}). Every
 * call is made under the lock of the {@link Transmitter}. Error Prone checks that at the Transmitter's field, since the
 * lock has no name in this class.
 */
public final class OutboundQueue {
    private final WorkRequest[] ring;
    private final OutboundReads reads;
    private long head;
    private long sent;
    private long next;
    private long tail;

    /** @param readLimit the most RDMA Reads in flight (ORD) */
    public OutboundQueue(int depth, int readLimit) {
        ring = new WorkRequest[depth];
        for (int i = 0; i < depth; i++) {
            ring[i] = new WorkRequest();
        }
        reads = new OutboundReads(readLimit, depth);
    }

    /** Whether a read can ever be sent. */
    boolean allowsReads() {
        return reads.areAllowed();
    }

    boolean isFull() {
        return tail - head == ring.length;
    }

    /** The free place for the next post. The caller fills it, then calls {@link #push}. */
    WorkRequest free() {
        return at(tail);
    }

    void push() {
        tail++;
    }

    /** How many requests wait to be taken. */
    int waiting() {
        return (int) (tail - next);
    }

    /**
     * The oldest waiting request; null where there is none, or where it is a read that has to wait for earlier reads.
     */
    WorkRequest peek() {
        if (next == tail) {
            return null;
        }
        WorkRequest request = at(next);
        return request.isRead() && reads.isFull() ? null : request;
    }

    /** Takes the request that {@link #peek} returned. */
    void take() {
        WorkRequest request = at(next++);
        if (request.isRead()) {
            reads.add(request);
        }
    }

    /**
     * Notes that the kernel has the octets of the oldest {@code count} of the {@link #taken} requests.
     */
    void sent(long count) {
        sent = count;
        retireUnsignaled();
    }

    /** How many requests have been taken since the start. */
    long taken() {
        return next;
    }

    /** Whether the kernel does not have all octets of all posted requests yet. */
    boolean hasUnsent() {
        return sent != tail;
    }

    /** The oldest read in flight, which the next Read Response answers; or null. */
    WorkRequest oldestRead() {
        return reads.oldest();
    }

    void readResponded() {
        reads.responded();
        retireUnsignaled();
    }

    /** Whether a completion is to be delivered. */
    boolean hasCompletion() {
        return isHeadDone();
    }

    /** Moves completions into {@code target}; returns their number. */
    int drain(Completion[] target) {
        int n = 0;
        while (n < target.length && isHeadDone()) {
            WorkRequest request = at(head++);
            if (request.signaled) {
                complete(request, target[n++], Completion.Status.SUCCESS);
            }
            request.region = null;
        }
        return n;
    }

    /**
     * The same for all requests that are left at the end of the connection, done or not. The caller repeats this until
     * it returns 0.
     */
    int drainAll(Completion[] target, WorkRequest refused) {
        int n = 0;
        while (n < target.length && head != tail) {
            boolean done = isHeadDone();
            WorkRequest request = at(head++);
            if (!done) {
                complete(
                        request,
                        target[n++],
                        request == refused ? Completion.Status.REMOTE_ACCESS_ERROR : Completion.Status.FLUSHED);
            } else if (request.signaled) {
                complete(request, target[n++], Completion.Status.SUCCESS);
            }
            request.region = null;
            sent = Math.max(sent, head);
        }
        return n;
    }

    private static void complete(WorkRequest request, Completion completion, Completion.Status status) {
        int length = request.isRead() && status == Completion.Status.SUCCESS ? request.length : 0;
        completion.set(request.id, request.operation, status, length);
    }

    private void retireUnsignaled() {
        while (isHeadDone() && !at(head).signaled) {
            at(head++).region = null;
        }
    }

    private boolean isHeadDone() {
        if (head >= sent) {
            return false;
        }
        WorkRequest request = at(head);
        return !request.isRead() || request.responded;
    }

    private WorkRequest at(long index) {
        return ring[(int) (index % ring.length)];
    }
}
