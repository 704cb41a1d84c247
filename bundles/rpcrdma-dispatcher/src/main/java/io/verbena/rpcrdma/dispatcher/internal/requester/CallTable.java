package io.verbena.rpcrdma.dispatcher.internal.requester;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.MemoryShare;
import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.StateSignal;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.Ending;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.State;
import io.verbena.runtime.Runtime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of one requester, their states, and which of them may be sent next. Every method is one transition of
 * {@link PendingCall.State} under the lock. Under the lock nothing is encoded, registered, posted, decoded or
 * completed; at most memory that the peer cannot reach any more is given back. {@link CallCredits} counts the credits.
 * Thread safe.
 */
public final class CallTable {
    @GuardedBy("this")
    private final ArrayDeque<PendingCall<?>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final CallSlots slots;

    @GuardedBy("this")
    private final CallCredits credits;

    private final Counters counters;
    private final StateSignal quiet;

    @GuardedBy("this")
    private Connection connection;

    /** A connection that was drained before it was attached. */
    @GuardedBy("this")
    private Connection leftUnused;

    @GuardedBy("this")
    private RpcException closed;

    @GuardedBy("this")
    private boolean paused;

    @GuardedBy("this")
    private int toResend;

    @GuardedBy("this")
    private long nextSequence;

    /** What a message with an XID answers. */
    enum Answered {
        /** A call that waits for the answer: it is claimed. */
        CALL,
        /** A call that was given up: its credit is free, or will be. */
        LATE,
        /** No call. */
        UNKNOWN
    }

    CallTable(int requested, MemoryShare memory, Counters counters, Runtime runtime) {
        credits = new CallCredits(requested);
        this.counters = counters;
        quiet = new StateSignal(runtime);
        slots = new CallSlots(requested, runtime.random().nextInt(), memory);
    }

    /** The connection that carries the calls, or null. The connection may change at any time. */
    synchronized Connection connection() {
        return connection;
    }

    /** The calls that may be in flight at once now. */
    synchronized int limit() {
        return credits.limit();
    }

    /** How many calls may be in flight, how many are, and how many wait. */
    synchronized CreditUsage gauges() {
        return new CreditUsage(connection == null ? 0 : credits.limit(), credits.inFlight(), waiting.size() + toResend);
    }

    /**
     * Takes a new call in.
     *
     * @return the slot of the call where it is to be sent at once; null where it waits
     * @throws RpcException where no call is taken any more
     */
    synchronized CallSlot admit(PendingCall<?> call) throws RpcException {
        if (closed != null) {
            throw closed;
        }
        call.sequence = nextSequence++;
        waiting.add(call);
        // a call at the front of the queue goes out now; earlier calls go first
        return waiting.peek() == call && toResend == 0 ? claimNext() : null;
    }

    /** Claims the slot of the next call to send; null where none may be sent. Calls to be sent again go first. */
    synchronized CallSlot next() {
        return claimNext();
    }

    @GuardedBy("this")
    private CallSlot claimNext() {
        if (connection == null || paused || !credits.isAvailable()) {
            return null;
        }
        CallSlot slot;
        if (toResend > 0 && !slots.lacksRoom(true)) {
            toResend--;
            slot = slots.oldestToResend();
        } else if (toResend == 0 && !waiting.isEmpty() && slots.hasFree()) {
            slot = slots.take(waiting.poll());
        } else {
            return null;
        }
        credits.take();
        slot.call.state = State.SENDING;
        slot.call.connection = connection;
        return slot;
    }

    /**
     * The connection where it is of no use any more: calls that were given up hold every credit, or all the room where
     * there is no memory for more, and others wait. Null otherwise.
     */
    synchronized Connection stuck() {
        boolean isStuck = credits.isAbandoned() && hasWork() && (!credits.isAvailable() || lacksMemory());
        return isStuck ? connection : null;
    }

    @GuardedBy("this")
    private boolean lacksMemory() {
        return slots.lacksRoom(toResend > 0) && ConnectionCalls.of(connection).isRefused();
    }

    /** The connection where nothing but its lack of room keeps a call from being sent; null otherwise. */
    synchronized Connection lacksRoom() {
        boolean lacks =
                connection != null && !paused && hasWork() && credits.isAvailable() && slots.lacksRoom(toResend > 0);
        return lacks ? connection : null;
    }

    /** The least room in which every slot that is taken has its place. */
    synchronized int slotsTaken() {
        return slots.taken();
    }

    /** A connection has room for more calls. */
    synchronized void grown(Connection by, int room) {
        if (connection == by) {
            slots.room(room);
        }
    }

    @GuardedBy("this")
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
     * Moves the deadline of a call that is not under way.
     *
     * @return whether the call was not under way
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
     * A call was not posted, and its memory is released.
     *
     * @return its next state: DONE where it ends, RESEND where its connection ended
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

    /**
     * The call drops its reference to the connection: it may wait for long, and would keep the services of the
     * connection reachable.
     */
    @GuardedBy("this")
    private void waitToResend(PendingCall<?> call) {
        call.state = State.RESEND;
        call.connection = null;
        toResend++;
    }

    @GuardedBy("this")
    private void leaveFlight() {
        credits.free();
        signalIfQuiet();
    }

    @GuardedBy("this")
    private void signalIfQuiet() {
        if (credits.isQuiet()) {
            quiet.signalAll();
        }
    }

    /** Whether a steering tag is of the call, outstanding or given up, with that XID. */
    synchronized boolean ownsTag(int xid, int tag) {
        CallSlot slot = slots.find(xid);
        return slot != null && slot.memory.ownsTag(tag);
    }

    /**
     * The slot of the call, outstanding or given up, with that XID. Only the thread that claimed the call may use it.
     */
    synchronized CallSlot slot(int xid) {
        return slots.find(xid);
    }

    /**
     * A message answers that XID.
     *
     * @param granted the credits that it brings, taken here only where the call was given up; 0 for none
     */
    synchronized Answered answered(Connection from, int xid, int granted) {
        CallSlot slot = connection == from ? slots.find(xid) : null;
        if (slot == null) {
            return Answered.UNKNOWN;
        }
        if (slot.abandoned) {
            credits.freeAbandoned(slot.question);
            signalIfQuiet();
            slots.free(slot);
        } else if (slot.call.state == State.SENT) {
            slot.call.state = State.COMPLETING;
            return Answered.CALL;
        } else if (slot.call.state == State.ENDING) {
            slot.settled = true;
        } else {
            return Answered.UNKNOWN; // answered before it was sent: not an answer
        }
        credits.grant(granted);
        return Answered.LATE;
    }

    /**
     * Takes a slot for the question of an optional operation, which needs an XID and a credit as a call does. The slot
     * is in the state of a call that was given up after it was sent: the answer frees it.
     *
     * @return null where no credit is to spare
     */
    synchronized CallSlot question(Connection by) {
        if (!maySpareCredit(by)) {
            return null;
        }
        credits.takeForQuestion();
        return slots.takeForQuestion();
    }

    /** Whether there is a credit for a question now: one is always left to calls. */
    synchronized boolean maySpareCredit(Connection by) {
        return connection == by && !paused && credits.isAvailableForQuestion() && slots.hasFree();
    }

    /** Whether that XID is a question's that waits for its answer. */
    synchronized boolean isQuestion(Connection from, int xid) {
        CallSlot slot = connection == from ? slots.find(xid) : null;
        return slot != null && slot.question;
    }

    /** The reply of a call was handled, and its memory is released. */
    synchronized void finished(CallSlot slot, Connection from, int granted) {
        slot.call.state = State.DONE;
        slots.free(slot);
        if (connection == from) {
            credits.grant(granted);
            leaveFlight();
        }
    }

    /**
     * A claimed call is to be sent once more by the same connection, and its memory is released.
     *
     * @return null, or the failure of the call where no call is sent any more
     */
    synchronized RpcException resend(CallSlot slot) {
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

    /**
     * Gives a call up. The same step reads whether the call went out: until then it still may.
     *
     * @param how becomes the {@code ending} of the call
     * @return the new state: DONE where the caller completes the future; ENDING where the caller releases the memory of
     *     the call, and {@linkplain #abandon abandons} the call, before it completes the future; SENDING where the
     *     thread that sends the call completes the future; null where the call cannot be given up any more
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

    /** The memory of a call that was given up is released. */
    void abandon(PendingCall<?> call) {
        CallSlot slot = call.slot;
        synchronized (this) {
            call.state = State.DONE;
            boolean stands = connection != null && call.connection == connection;
            if (stands && !slot.settled) {
                slot.call = null;
                slot.abandoned = true;
                credits.abandon();
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
     * Calls are sent by another connection from now on.
     *
     * @param room how many calls the connection has room for
     * @return false where that connection has ended, or was {@linkplain #drain drained} before it was attached, or this
     *     table is closed
     */
    synchronized boolean attach(Connection fresh, int room) {
        if (closed != null || fresh == leftUnused || !fresh.isUsable()) {
            return false;
        }
        connection = fresh;
        slots.room(room);
        paused = false;
        credits.begin();
        return true;
    }

    /** The connection has ended: the calls that it carried wait to be sent again. */
    synchronized void detach(Connection lost) {
        if (leftUnused == lost) {
            leftUnused = null;
        }
        if (connection != lost) {
            return;
        }
        connection = null;
        credits.clear();
        for (int i = 0; i < slots.size(); i++) {
            detach(slots.get(i));
        }
        quiet.signalAll();
    }

    @GuardedBy("this")
    private void detach(CallSlot slot) {
        if (slot.abandoned) {
            slots.free(slot);
        } else if (slot.call != null && slot.call.state == State.SENT) {
            waitToResend(slot.call);
            slot.memory.release();
        }
    }

    /**
     * Sends no more by a connection, and waits for the replies that are still to come by it. A connection that was not
     * attached yet cannot be attached any more: its calls would be executed without a wait for their replies, and sent
     * again.
     *
     * @param deadline the latest end of the wait, on the runtime's clock
     */
    void drain(Connection leaving, long deadline) {
        synchronized (this) {
            if (connection != leaving) {
                // detach follows the end of the connection, and clears this
                leftUnused = leaving.isUsable() ? leaving : leftUnused;
                return;
            }
            paused = true;
        }
        boolean unused = quiet.awaitEnd(() -> isDrained(leaving), deadline);
    }

    private synchronized boolean isDrained(Connection leaving) {
        return connection != leaving || credits.isQuiet();
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
