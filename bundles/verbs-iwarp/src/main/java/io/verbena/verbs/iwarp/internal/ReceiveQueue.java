package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Completion;

/** The receive queue: a ring of preallocated requests. Any thread posts, the receive thread takes. */
final class ReceiveQueue {
    /** One place in the queue. */
    static final class Entry {
        long id;
        Region region;
        long offset;
        int length;
    }

    private final Entry[] ring;
    private long head;
    private long tail;
    private boolean closed;

    ReceiveQueue(int depth) {
        ring = new Entry[depth];
        for (int i = 0; i < depth; i++) {
            ring[i] = new Entry();
        }
    }

    /** What became of a post. */
    enum Posted {
        DONE,
        FULL,
        CLOSED
    }

    synchronized Posted post(long id, Region region, long offset, int length) {
        if (closed) {
            return Posted.CLOSED;
        }
        if (tail - head == ring.length) {
            return Posted.FULL;
        }
        Entry entry = ring[(int) (tail++ % ring.length)];
        entry.id = id;
        entry.region = region;
        entry.offset = offset;
        entry.length = length;
        return Posted.DONE;
    }

    /** The oldest, which stays as it is until {@link #remove}, or null. */
    synchronized Entry peek() {
        return head == tail ? null : ring[(int) (head % ring.length)];
    }

    synchronized void remove() {
        ring[(int) (head++ % ring.length)].region = null;
    }

    /** Takes no more posts. */
    synchronized void close() {
        closed = true;
    }

    /** Completes what is left at the end, the oldest with {@code first}; call until it adds nothing. */
    synchronized int drainAll(Completion[] target, Completion.Status first) {
        int n = 0;
        Completion.Status status = first;
        while (n < target.length && head != tail) {
            Entry entry = ring[(int) (head++ % ring.length)];
            entry.region = null;
            target[n++].set(entry.id, Completion.Operation.RECEIVE, status, 0);
            status = Completion.Status.FLUSHED;
        }
        return n;
    }
}
