package io.verbena.verbs.iwarp.internal.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Completion;
import io.verbena.verbs.iwarp.internal.memory.Region;

/** The receive queue: a ring of preallocated requests. Any thread posts; the receive thread takes. */
public final class ReceiveRing {
    /** One place in the queue. */
    static final class Entry {
        long id;
        Region region;
        long offset;
        int length;
    }

    @GuardedBy("this")
    private final Entry[] ring;

    @GuardedBy("this")
    private long head;

    @GuardedBy("this")
    private long tail;

    @GuardedBy("this")
    private boolean closed;

    public ReceiveRing(int depth) {
        ring = new Entry[depth];
        for (int i = 0; i < depth; i++) {
            ring[i] = new Entry();
        }
    }

    /** The result of a post. */
    public enum Posted {
        DONE,
        FULL,
        CLOSED
    }

    public synchronized Posted post(long id, Region region, long offset, int length) {
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

    /** The oldest request, or null. It stays unchanged until {@link #remove}. */
    synchronized Entry peek() {
        return head == tail ? null : ring[(int) (head % ring.length)];
    }

    synchronized void remove() {
        ring[(int) (head++ % ring.length)].region = null;
    }

    /** Refuses posts from now on. */
    public synchronized void close() {
        closed = true;
    }

    /**
     * Completes the requests that are left at the end, the oldest with {@code first}. The caller repeats this until it
     * returns 0.
     */
    public synchronized int drainAll(Completion[] target, Completion.Status first) {
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
