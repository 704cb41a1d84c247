package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.dispatcher.internal.Request.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The requests of one responder, used again and again, and which of them are at work. Thread safe. */
final class Requests {
    private final Responder responder;
    private final int most;
    private final ArrayDeque<Request> free = new ArrayDeque<>();
    private final List<Request> all = new ArrayList<>();
    private boolean leaving;
    private boolean disconnected;

    /**
     * @param most how many there may ever be
     */
    Requests(Responder responder, int most) {
        this.responder = responder;
        this.most = most;
    }

    /** One for a message that came; null where all are at work, or the connection has ended or is about to. */
    synchronized Request take() {
        if (leaving) {
            return null;
        }
        Request request = free.pollLast();
        if (request == null && all.size() < most && !disconnected) {
            request = new Request(responder, all.size());
            all.add(request);
        }
        if (request != null) {
            request.state.set(State.PULLING);
        }
        return request;
    }

    /** Gives out no more. */
    synchronized void leave() {
        leaving = true;
    }

    synchronized boolean isLeaving() {
        return leaving;
    }

    synchronized Request get(long id) {
        return all.get((int) id);
    }

    /** A request is about to be posted; false where the connection has ended. */
    synchronized boolean sending(Request request) {
        if (!disconnected) {
            request.state.set(State.SENDING);
        }
        return !disconnected;
    }

    /** A request holds nothing any more. */
    synchronized void give(Request request) {
        request.state.set(State.FREE);
        free.addLast(request);
        if (free.size() == all.size()) {
            notifyAll();
        }
    }

    /**
     * Waits until no request is at work, or the connection has ended.
     *
     * @param deadline no longer than that, on the clock of {@link System#nanoTime}
     */
    synchronized void awaitIdle(long deadline) {
        try {
            for (long left = deadline - System.nanoTime();
                    !disconnected && free.size() < all.size() && left > 0;
                    left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The connection has ended. Returns the requests that the provider had, which are nobody's now. */
    synchronized List<Request> disconnect() {
        disconnected = true;
        notifyAll();
        List<Request> left = new ArrayList<>();
        for (Request request : all) {
            State state = request.state.get();
            if (state == State.PULLING || state == State.SENDING) {
                request.state.set(State.FREE);
                left.add(request);
            }
        }
        return left;
    }
}
