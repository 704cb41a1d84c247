package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.State;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The calls of one requester: which there are, what each is doing, and who may be sent next. Every method is one
 * transition of {@link PendingCall.State} under one lock, under which nothing is encoded, registered, posted, decoded
 * or completed. Thread safe.
 *
 * <p>Credits (RFC 8166 section 3.3): a connection begins with one; each reply brings the number of calls that may be in
 * flight, never taken for more than was asked for. A call that is given up after it was sent keeps its credit, since
 * the peer may be at work on it: the credit comes back with the late reply, or with another connection.
 */
final class CallTable {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();
    private final ArrayDeque<PendingCall<?>> waiting = new ArrayDeque<>();
    private final Slots slots;
    private final int requested;
    private final Counters counters;

    private Connection connection;
    private RpcException closed;
    private boolean paused;
    private int limit = 1;
    private int inFlight;
    private int abandoned;
    private int toResend;
    private long nextSequence;

    /** What the message that answers an XID finds. */
    enum Answered {
        /** A call of ours that waits for it: it is claimed. */
        CALL,
        /** A call that was given up: its credit is free, or will be. */
        LATE,
        /** Nothing. */
        UNKNOWN
    }

    CallTable(int requested, DirectPool memory, Counters counters) {
        this.requested = requested;
        this.counters = counters;
        slots = new Slots(requested, memory);
    }

    /** A look at the connection that calls are sent by: null where there is none. */
    Connection connection() {
        lock.lock();
        try {
            return connection;
        } finally {
            lock.unlock();
        }
    }

    /** The calls that may be in flight at once now. */
    int limit() {
        lock.lock();
        try {
            return limit;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a new call in.
     *
     * @return its slot where it is to be sent at once; null where it waits
     * @throws RpcException where no call is taken any more
     */
    CallSlot admit(PendingCall<?> call) throws RpcException {
        lock.lock();
        try {
            if (closed != null) {
                throw closed;
            }
            call.sequence = nextSequence++;
            waiting.add(call);
            // one at the front of the queue goes out now; others before it have the better claim
            return waiting.peek() == call && toResend == 0 ? claimNext() : null;
        } finally {
            lock.unlock();
        }
    }

    /** The slot of the next call to send, claimed; null where none may be sent. Those to be sent again go first. */
    CallSlot next() {
        lock.lock();
        try {
            return claimNext();
        } finally {
            lock.unlock();
        }
    }

    private CallSlot claimNext() {
        if (connection == null || paused || inFlight >= limit) {
            return null;
        }
        CallSlot slot;
        if (toResend > 0) {
            toResend--;
            slot = slots.oldestToResend();
        } else if (!waiting.isEmpty() && slots.hasFree()) {
            slot = slots.take(waiting.poll());
        } else {
            return null;
        }
        inFlight++;
        slot.call.state = State.SENDING;
        slot.call.connection = connection;
        return slot;
    }

    /**
     * The connection if it no longer serves: every credit is held by a call given up, and others wait. Null otherwise.
     */
    Connection stuck() {
        lock.lock();
        try {
            boolean stuck = abandoned > 0 && abandoned == inFlight && inFlight >= limit && hasWork();
            return stuck ? connection : null;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasWork() {
        return toResend > 0 || !waiting.isEmpty();
    }

    boolean hasPending() {
        lock.lock();
        try {
            return hasWork();
        } finally {
            lock.unlock();
        }
    }

    /**
     * A call is encoded and about to be posted.
     *
     * @param failure how it ends where it could not be encoded, or null
     * @return false where it is not to be posted, but {@linkplain #withdraw withdrawn}
     */
    boolean sent(PendingCall<?> call, Outcome failure) {
        lock.lock();
        try {
            if (failure != null && call.ending == null) {
                call.ending = failure;
            }
            if (call.ending != null || connection != call.connection) {
                return false;
            }
            call.state = State.SENT;
            if (call.transmitted) {
                counters.increment(Counter.RETRANSMISSIONS);
            }
            call.transmitted = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A call was not posted after all; its memory is released.
     *
     * @return what becomes of it: DONE where it ends, RESEND where its connection went
     */
    State withdraw(PendingCall<?> call) {
        lock.lock();
        try {
            if (connection == call.connection) {
                leaveFlight();
            }
            if (call.ending != null) {
                call.state = State.DONE;
                slots.free(call.slot);
            } else {
                call.state = State.RESEND;
                toResend++;
            }
            return call.state;
        } finally {
            lock.unlock();
        }
    }

    private void leaveFlight() {
        inFlight--;
        signalIfQuiet();
    }

    private void signalIfQuiet() {
        if (inFlight == abandoned) {
            quiet.signalAll();
        }
    }

    /** Whether a steering tag is of the call, outstanding or given up, with that XID. */
    boolean ownsTag(int xid, int tag) {
        lock.lock();
        try {
            CallSlot slot = slots.find(xid);
            return slot != null && slot.memory.ownsTag(tag);
        } finally {
            lock.unlock();
        }
    }

    /** The slot of the call, outstanding or given up, with that XID; to be looked at by who claimed it only. */
    CallSlot slot(int xid) {
        lock.lock();
        try {
            return slots.find(xid);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A message answers that XID.
     *
     * @param granted the credits it brings, taken here only where the call was given up; 0 for none
     */
    Answered answered(Connection from, int xid, int granted) {
        lock.lock();
        try {
            CallSlot slot = connection == from ? slots.find(xid) : null;
            if (slot == null) {
                return Answered.UNKNOWN;
            }
            if (slot.abandoned) {
                abandoned--;
                leaveFlight();
                slots.free(slot);
            } else if (slot.call.state == State.SENT) {
                slot.call.state = State.COMPLETING;
                return Answered.CALL;
            } else if (slot.call.state == State.ENDING) {
                slot.settled = true;
            } else {
                return Answered.UNKNOWN; // answered before it was sent: not an answer
            }
            grant(granted);
            return Answered.LATE;
        } finally {
            lock.unlock();
        }
    }

    /** A call's reply has been dealt with, its memory released. */
    void finished(CallSlot slot, Connection from, int granted) {
        lock.lock();
        try {
            slot.call.state = State.DONE;
            slots.free(slot);
            if (connection == from) {
                grant(granted);
                leaveFlight();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes a grant: up or down, never over what was asked for; zero is none (RFC 8166 section 3.3.1). */
    private void grant(int granted) {
        if (granted != 0) {
            limit = granted < 0 ? requested : Math.min(granted, requested); // an unsigned number
        }
    }

    /**
     * Somebody gives a call up.
     *
     * @return the state it is in then: DONE where its future is to be completed, ENDING where its memory is to be
     *     fenced and it is to be {@linkplain #abandon abandoned} before that, SENDING where the sender will see to it;
     *     null where it is too late
     */
    State giveUp(PendingCall<?> call, Outcome outcome) {
        lock.lock();
        try {
            switch (call.state) {
                case WAITING -> {
                    waiting.remove(call);
                    call.state = State.DONE;
                }
                case RESEND -> {
                    toResend--;
                    slots.free(call.slot);
                    call.state = State.DONE;
                }
                case SENT -> call.state = State.ENDING;
                case SENDING -> {
                    if (call.ending != null) {
                        return null;
                    }
                    call.ending = outcome;
                }
                case COMPLETING, ENDING, DONE -> {
                    return null;
                }
            }
            return call.state;
        } finally {
            lock.unlock();
        }
    }

    /** A call that was given up has no memory open any more. */
    void abandon(PendingCall<?> call) {
        CallSlot slot = call.slot;
        lock.lock();
        try {
            call.state = State.DONE;
            boolean stands = connection != null && call.connection == connection;
            if (stands && !slot.settled) {
                slot.call = null;
                slot.abandoned = true;
                abandoned++;
                signalIfQuiet();
            } else {
                slots.free(slot);
                if (stands) {
                    leaveFlight();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * There is another connection to send by.
     *
     * @return false where it has ended already, or this is closed
     */
    boolean attach(Connection fresh) {
        lock.lock();
        try {
            if (closed != null || !fresh.isUsable()) {
                return false;
            }
            connection = fresh;
            paused = false;
            limit = 1;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The connection has ended: what it carried waits to be sent again. */
    void detach(Connection lost) {
        lock.lock();
        try {
            if (connection != lost) {
                return;
            }
            connection = null;
            inFlight = 0;
            abandoned = 0;
            limit = 1;
            for (int i = 0; i < slots.size(); i++) {
                detach(slots.get(i));
            }
            quiet.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void detach(CallSlot slot) {
        if (slot.abandoned) {
            slots.free(slot);
        } else if (slot.call != null && slot.call.state == State.SENT) {
            slot.call.state = State.RESEND;
            slot.memory.release();
            toResend++;
        } else if (slot.call != null && slot.call.state == State.ENDING) {
            slot.settled = true;
        }
    }

    /** Sends no more on this connection, and waits a while for the replies that are still to come. */
    void drain(Duration bound) {
        lock.lock();
        try {
            paused = true;
            long left = bound.toNanos();
            while (inFlight > abandoned && left > 0) {
                left = quiet.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no call any more. */
    void close(RpcException reason) {
        lock.lock();
        try {
            closed = reason;
        } finally {
            lock.unlock();
        }
    }

    /** Every call that has not ended. */
    List<PendingCall<?>> all() {
        lock.lock();
        try {
            List<PendingCall<?>> all = new ArrayList<>(waiting);
            for (int i = 0; i < slots.size(); i++) {
                if (slots.get(i).call != null) {
                    all.add(slots.get(i).call);
                }
            }
            return all;
        } finally {
            lock.unlock();
        }
    }
}
