package io.verbena.rpcrdma.dispatcher.internal.responder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Keeps a responder within the depth of the send queue of its connection: posts that find no room wait until earlier
 * ones are complete. Room for all posts of a request is taken at once; they go out in order, but posts of another
 * request may come in between. Thread safe.
 */
final class SendQueueSpace {
    private final Consumer<ReceivedCall> poster;
    private final int depth;

    @GuardedBy("this")
    private final ArrayDeque<Waiting> backlog = new ArrayDeque<>();

    @GuardedBy("this")
    private int used;

    private record Waiting(ReceivedCall request, int cost) {}

    /**
     * @param poster posts the work of a request
     * @param depth the most posts at once
     */
    SendQueueSpace(Consumer<ReceivedCall> poster, int depth) {
        this.poster = poster;
        this.depth = depth;
    }

    /** The most posts of one request at once. */
    int maxCost() {
        return depth / 2;
    }

    /** Posts the reads of a request that is pulling, or the reply of one that is sending, as soon as there is room. */
    void submit(ReceivedCall request, int cost) {
        synchronized (this) {
            if (!backlog.isEmpty() || used + cost > depth) {
                backlog.add(new Waiting(request, cost));
                return;
            }
            used += cost;
        }
        poster.accept(request);
    }

    /** Posts are complete: those that wait may go out. */
    void completed(int cost) {
        synchronized (this) {
            used -= cost;
        }
        for (Waiting next = next(); next != null; next = next()) {
            poster.accept(next.request());
        }
    }

    private synchronized Waiting next() {
        Waiting next = backlog.peek();
        if (next == null || used + next.cost() > depth) {
            return null;
        }
        used += next.cost();
        return backlog.poll();
    }
}
