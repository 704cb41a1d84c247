package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.Ending;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The calls of one requester: which there are, what each is doing, and who may be sent next. Every method is one
 * transition of {@link PendingCall.State} under its lock, under which nothing is encoded, registered, posted, decoded
 * or completed; at most memory that nobody reaches any more is given back. Thread safe.
 *
 * <p>Credits (RFC 8166 section 3.3): a connection begins with one; each reply brings the number of calls that may be in
 * flight, never taken for more than was asked for. A call that is given up after it was sent keeps its credit, since
 * the peer may be at work on it: the credit comes back with the late reply, or with another connection.
 */
final class CallTable {
    private final ArrayDeque<PendingCall<?>> waiting = new ArrayDeque<>();
    private final Slots slots;
    private final int requested;
    private final Counters counters;

    private Connection connection;
    /** One that is about to end before it was attached. */
    private Connection leftUnused;

    private RpcException closed;
    private boolean paused;
    private int limit = 1;
    private int inFlight;
    private int abandoned;
    private int questions; // of those abandoned
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

    /**
     * How things stand.
     *
     * @param granted the credits that there are, 0 without a connection
     * @param inUse those that calls hold, given up ones too
     * @param waiting calls that wait for one
     */
    record Gauges(int granted, int inUse, int waiting) {}

    CallTable(int requested, DirectPool memory, Counters counters) {
        this.requested = requested;
        this.counters = counters;
        slots = new Slots(requested, memory);
    }

    /** A look at the connection that calls are sent by: null where there is none. */
    synchronized Connection connection() {
        return connection;
    }

    /** The calls that may be in flight at once now. */
    synchronized int limit() {
        return limit;
    }

    /** How many calls may be in flight, how many are, and how many wait. */
    synchronized Gauges gauges() {
        return new Gauges(connection == null ? 0 : limit, inFlight, waiting.size() + toResend);
    }

    /**
     * Takes a new call in.
     *
     * @return its slot where it is to be sent at once; null where it waits
     * @throws RpcException where no call is taken any more
     */
    synchronized CallSlot admit(PendingCall<?> call) throws RpcException {
        if (closed != null) {
            throw closed;
        }
        call.sequence = nextSequence++;
        waiting.add(call);
        // one at the front of the queue goes out now; others before it have the better claim
        return waiting.peek() == call && toResend == 0 ? claimNext() : null;
    }

    /** The slot of the next call to send, claimed; null where none may be sent. Those to be sent again go first. */
    synchronized CallSlot next() {
        return claimNext();
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
    synchronized Connection stuck() {
        boolean stuck = abandoned > questions && abandoned == inFlight && inFlight >= limit && hasWork();
        return stuck ? connection : null;
    }

    private boolean hasWork() {
        return toResend > 0 || !waiting.isEmpty();
    }

    synchronized boolean hasPending() {
        return hasWork();
    }

    /** The calls that wait to be sent again. */
    synchronized int toResend() {
        return toResend;
    }

    /**
     * A call has time until later, if it is not under way.
     *
     * @return whether that is so
     */
    synchronized boolean postpone(PendingCall<?> call, long deadline) {
        boolean waits = call.state == State.WAITING || call.state == State.RESEND;
        if (waits) {
            call.deadline(deadline);
        }
        return waits;
    }

    /**
     * A call is encoded and about to be posted.
     *
     * @param failure how it ends where it could not be encoded, or null
     * @return false where it is not to be posted, but {@linkplain #withdraw withdrawn}
     */
    synchronized boolean sent(PendingCall<?> call, Outcome failure) {
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
    }

    /**
     * A call was not posted after all; its memory is released.
     *
     * @return what becomes of it: DONE where it ends, RESEND where its connection went
     */
    synchronized State withdraw(PendingCall<?> call) {
        if (connection == call.connection) {
            leaveFlight();
        }
        if (call.ending != null) {
            call.state = State.DONE;
            slots.free(call.slot);
        } else {
            waitToResend(call);
        }
        return call.state;
    }

    /** The call forgets the connection: it may wait for long, and the connection's services be gone. */
    private void waitToResend(PendingCall<?> call) {
        call.state = State.RESEND;
        call.connection = null;
        toResend++;
    }

    private void leaveFlight() {
        inFlight--;
        signalIfQuiet();
    }

    private void signalIfQuiet() {
        if (inFlight == abandoned) {
            notifyAll();
        }
    }

    /** Whether a steering tag is of the call, outstanding or given up, with that XID. */
    synchronized boolean ownsTag(int xid, int tag) {
        CallSlot slot = slots.find(xid);
        return slot != null && slot.memory.ownsTag(tag);
    }

    /** The slot of the call, outstanding or given up, with that XID; to be looked at by who claimed it only. */
    synchronized CallSlot slot(int xid) {
        return slots.find(xid);
    }

    /**
     * A message answers that XID.
     *
     * @param granted the credits it brings, taken here only where the call was given up; 0 for none
     */
    synchronized Answered answered(Connection from, int xid, int granted) {
        CallSlot slot = connection == from ? slots.find(xid) : null;
        if (slot == null) {
            return Answered.UNKNOWN;
        }
        if (slot.abandoned) {
            abandoned--;
            questions -= slot.question ? 1 : 0;
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
    }

    /**
     * A slot for a question that is no call, but takes an XID and a credit as one does. It is as one that was given up
     * after it was sent: its answer frees it.
     *
     * @return null where there is no credit to spare
     */
    synchronized CallSlot question(Connection by) {
        if (!maySpareCredit(by)) {
            return null;
        }
        abandoned++;
        questions++;
        inFlight++;
        return slots.takeForQuestion();
    }

    /** Whether there is a credit for a question now: one is always left to calls. */
    synchronized boolean maySpareCredit(Connection by) {
        return connection == by && !paused && inFlight + 1 < limit && slots.hasFree();
    }

    /** Whether that XID is a question's that waits for its answer. */
    synchronized boolean isQuestion(Connection from, int xid) {
        CallSlot slot = connection == from ? slots.find(xid) : null;
        return slot != null && slot.question;
    }

    /** A call's reply has been dealt with, its memory released. */
    synchronized void finished(CallSlot slot, Connection from, int granted) {
        slot.call.state = State.DONE;
        slots.free(slot);
        if (connection == from) {
            grant(granted);
            leaveFlight();
        }
    }

    /**
     * A claimed call is to be sent once more on the same connection, its memory released.
     *
     * @return null, or what it ends with where no call is sent any more
     */
    synchronized RpcException again(CallSlot slot) {
        if (connection == slot.call.connection) {
            leaveFlight();
        }
        if (closed != null) {
            slot.call.state = State.DONE;
            slots.free(slot);
        } else {
            waitToResend(slot.call);
        }
        return closed;
    }

    /** Takes a grant: up or down, never over what was asked for; zero is none (RFC 8166 section 3.3.1). */
    private void grant(int granted) {
        if (granted != 0) {
            limit = granted < 0 ? requested : Math.min(granted, requested); // an unsigned number
        }
    }

    /**
     * Somebody gives a call up. Whether it went out is looked at in the same step: until then it still may.
     *
     * @param how becomes its {@code ending}
     * @return the state it is in then: DONE where its future is to be completed, ENDING where its memory is to be
     *     fenced and it is to be {@linkplain #abandon abandoned} before that, SENDING where the sender will see to it;
     *     null where it is too late
     */
    synchronized State giveUp(PendingCall<?> call, Ending how) {
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
            }
            case COMPLETING, ENDING, DONE -> {
                return null;
            }
        }
        call.ending = how.of(call.transmitted);
        return call.state;
    }

    /** A call that was given up has no memory open any more. */
    void abandon(PendingCall<?> call) {
        CallSlot slot = call.slot;
        synchronized (this) {
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
        }
    }

    /**
     * There is another connection to send by.
     *
     * @return false where it has ended already, or is {@linkplain #drain drained} as one that is about to, or this is
     *     closed
     */
    synchronized boolean attach(Connection fresh) {
        if (closed != null || fresh == leftUnused || !fresh.isUsable()) {
            return false;
        }
        connection = fresh;
        paused = false;
        limit = 1;
        return true;
    }

    /** The connection has ended: what it carried waits to be sent again. */
    synchronized void detach(Connection lost) {
        if (leftUnused == lost) {
            leftUnused = null;
        }
        if (connection != lost) {
            return;
        }
        connection = null;
        inFlight = 0;
        abandoned = 0;
        questions = 0;
        limit = 1;
        for (int i = 0; i < slots.size(); i++) {
            detach(slots.get(i));
        }
        notifyAll();
    }

    private void detach(CallSlot slot) {
        if (slot.abandoned) {
            slots.free(slot);
        } else if (slot.call != null && slot.call.state == State.SENT) {
            waitToResend(slot.call);
            slot.memory.release();
        }
    }

    /**
     * Sends no more on a connection, and waits for the replies that are still to come on it. One that is still to be
     * attached is not attached any more: nobody would wait for what is sent by it, which would be executed and sent
     * again.
     *
     * @param deadline no longer than that, on the clock of {@link System#nanoTime}
     */
    synchronized void drain(Connection leaving, long deadline) {
        if (connection != leaving) {
            // its end is told after this, if it was not before, and is when it is forgotten here
            leftUnused = leaving.isUsable() ? leaving : leftUnused;
            return;
        }
        paused = true;
        long left = deadline - System.nanoTime();
        try {
            while (connection == leaving && inFlight > abandoned && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
                left = deadline - System.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes no call any more. */
    synchronized void close(RpcException reason) {
        closed = reason;
    }

    /** Every call that has not ended. */
    synchronized List<PendingCall<?>> all() {
        List<PendingCall<?>> all = new ArrayList<>(waiting);
        for (int i = 0; i < slots.size(); i++) {
            if (slots.get(i).call != null) {
                all.add(slots.get(i).call);
            }
        }
        return all;
    }
}
