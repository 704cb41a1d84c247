package io.verbena.rpcrdma.dispatcher.internal.responder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpcrdma.dispatcher.internal.base.StateSignal;
import io.verbena.rpcrdma.dispatcher.internal.responder.ReceivedCall.State;
import io.verbena.runtime.Runtime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** The requests of one responder, which are reused, and which of them are at work. Thread safe. */
final class RequestTable {
    private final IntFunction<ReceivedCall> factory;
    private final int most;
    private final StateSignal idle;

    @GuardedBy("this")
    private final ArrayDeque<ReceivedCall> free = new ArrayDeque<>();

    @GuardedBy("this")
    private final List<ReceivedCall> all = new ArrayList<>();

    @GuardedBy("this")
    private boolean leaving;

    @GuardedBy("this")
    private boolean disconnected;

    @GuardedBy("this")
    private Runnable onceIdle;

    /**
     * @param factory makes the request of a number
     * @param most how many requests there may ever be
     */
    RequestTable(IntFunction<ReceivedCall> factory, int most, Runtime runtime) {
        this.factory = factory;
        this.most = most;
        idle = new StateSignal(runtime);
    }

    /** Takes a request for a message; null where all are at work, or the connection has ended or is about to. */
    synchronized ReceivedCall take() {
        if (leaving) {
            return null;
        }
        ReceivedCall request = free.pollLast();
        if (request == null && all.size() < most && !disconnected) {
            request = factory.apply(all.size());
            all.add(request);
        }
        if (request != null) {
            request.state.set(State.PULLING);
        }
        return request;
    }

    /** Whether a request is at work. */
    synchronized boolean anyAtWork() {
        return free.size() < all.size();
    }

    /** Gives out no further request. */
    synchronized void leave() {
        leaving = true;
    }

    synchronized boolean isLeaving() {
        return leaving;
    }

    synchronized ReceivedCall get(long id) {
        return all.get((int) id);
    }

    /** The program is about to get a request that waited; false where the connection, and so the request, has ended. */
    synchronized boolean handling(ReceivedCall request) {
        if (!disconnected) {
            request.state.set(State.HANDLING);
        }
        return !disconnected;
    }

    /** A request is about to be posted; false where the connection has ended. */
    synchronized boolean sending(ReceivedCall request) {
        if (!disconnected) {
            request.state.set(State.SENDING);
        }
        return !disconnected;
    }

    /**
     * A request holds nothing any more, except its send buffer.
     *
     * @return whether the connection has ended: then the caller gives the send buffer back
     */
    boolean give(ReceivedCall request) {
        Runnable task = null;
        boolean isOver;
        synchronized (this) {
            request.state.set(State.FREE);
            free.addLast(request);
            isOver = disconnected;
            if (free.size() == all.size()) {
                idle.signalAll();
                task = onceIdle;
                onceIdle = null;
            }
        }
        if (task != null) {
            task.run();
        }
        return isOver;
    }

    /** Runs a task once no request is at work, at once where none is. The connection has ended. */
    void onceIdle(Runnable task) {
        synchronized (this) {
            if (free.size() < all.size()) {
                onceIdle = task;
                return;
            }
        }
        task.run();
    }

    synchronized boolean isDisconnected() {
        return disconnected;
    }

    /**
     * Waits until no request is at work, or the connection has ended.
     *
     * @param deadline no longer than that, on the runtime's clock
     */
    void awaitIdle(long deadline) {
        boolean unused = idle.awaitEnd(this::isIdle, deadline);
    }

    private synchronized boolean isIdle() {
        return disconnected || free.size() == all.size();
    }

    /**
     * The connection has ended. Returns the requests whose memory is to be given back: those that the provider had,
     * those that waited, and those that were free.
     */
    synchronized List<ReceivedCall> disconnect() {
        disconnected = true;
        idle.signalAll();
        List<ReceivedCall> left = new ArrayList<>(free);
        for (ReceivedCall request : all) {
            State state = request.state.get();
            if (state == State.PULLING || state == State.POSTPONED || state == State.SENDING) {
                request.state.set(State.FREE);
                free.addLast(request);
                left.add(request);
            }
        }
        return left;
    }
}
