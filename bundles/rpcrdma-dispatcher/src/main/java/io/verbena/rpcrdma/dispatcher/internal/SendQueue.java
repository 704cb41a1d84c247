package io.verbena.rpcrdma.dispatcher.internal;

import java.util.ArrayDeque;

/**
 * Keeps a responder within the depth of its connection's send queue: what finds no room waits until something before
 * it is complete. Room for all posts of a request is taken at once; among themselves they go out in order, but those of
 * another request may come in between. Thread safe.
 */
final class SendQueue {
    private final Responder responder;
    private final int depth;
    private final ArrayDeque<Waiting> backlog = new ArrayDeque<>();
    private int used;

    private record Waiting(Request request, int cost) {}

    SendQueue(Responder responder, int depth) {
        this.responder = responder;
        this.depth = depth;
    }

    /** The most posts of one request at once. */
    int maxCost() {
        return depth / 2;
    }

    /** Posts the reads of a request that is pulling, or the reply of one that is sending, as soon as there is room. */
    void submit(Request request, int cost) {
        synchronized (this) {
            if (!backlog.isEmpty() || used + cost > depth) {
                backlog.add(new Waiting(request, cost));
                return;
            }
            used += cost;
        }
        responder.post(request);
    }

    /** So many posts are complete. */
    void completed(int cost) {
        synchronized (this) {
            used -= cost;
        }
        for (Waiting next = next(); next != null; next = next()) {
            responder.post(next.request());
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
