package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.State;
import io.verbena.verbs.RdmaException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes calls in one direction: their XIDs, credits, queue, replies and ends (RFC 8166 sections 3.3 and 4.5). It
 * outlives the connections that its calls go by. {@link PendingCall.State} has the states of a call.
 *
 * <p>The lock guards plain fields only: nothing is encoded, registered, posted, decoded or completed under it. A call
 * is sent by the thread that makes it where there is a credit, else by the thread that brings the credit.
 *
 * <p>A call that is given up after it was sent keeps its credit, since the peer may be at work on it: the credit comes
 * back with the late reply, or with a new connection. Once calls given up hold every credit and others wait, the owner
 * is told that the connection no longer serves.
 */
final class Requester {
    /** The most calls in flight at once that anybody may ask for. */
    static final int MAX_CALLS = 1 << 14;

    /** The length of a call that could not be encoded since the connection is gone; it will be sent again. */
    private static final int LOST = -1;

    /** What a requester asks of the one who makes its connections. Called without any lock held. */
    interface Owner {
        /** There are calls, and no connection. */
        void connectionNeeded();

        /** The peer does not answer, and holds every credit. */
        void connectionStuck(Connection connection);

        /** Who the peer is, for messages. */
        String peer();
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();
    private final ArrayDeque<PendingCall<?>> waiting = new ArrayDeque<>();
    private final Slots slots;
    private final CallDeadlines deadlines;
    private final Owner owner;
    private final Counters counters;
    private final int requested;

    private Connection connection;
    private RpcException closed;
    private boolean paused;
    private int limit = 1;
    private int inFlight;
    private int abandoned;
    private int toResend;
    private long nextSequence;

    /**
     * @param requested the most calls in flight at once: the credits to ask for
     */
    Requester(int requested, Owner owner, Environment environment, Counters counters) {
        this.requested = requested;
        this.owner = owner;
        this.counters = counters;
        slots = new Slots(requested, environment.memory());
        deadlines = new CallDeadlines(environment.workers(), this::expire);
    }

    int requested() {
        return requested;
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

    <T> CompletableFuture<T> call(RpcCall message, ReplyDecoder<T> decoder) {
        long deadline = deadlines.of(message.timeout());
        PendingCall<T> call = new PendingCall<>(this, message, decoder, deadline);
        CallSlot slot = null;
        Connection there;
        boolean stuck;
        lock.lock();
        try {
            if (closed != null) {
                call.fail(closed);
                return call;
            }
            call.sequence = nextSequence++;
            if (maySend() && toResend == 0 && waiting.isEmpty()) {
                slot = claim(slots.take(call));
            } else {
                waiting.add(call);
            }
            there = connection;
            stuck = isStuck();
        } finally {
            lock.unlock();
        }
        counters.increment(Counter.CALLS);
        deadlines.watch(deadline);
        if (slot != null) {
            send(slot, call, there);
        } else {
            follow(there, stuck);
        }
        return call;
    }

    private void follow(Connection there, boolean stuck) {
        if (there == null) {
            owner.connectionNeeded();
        } else if (stuck) {
            owner.connectionStuck(there);
        }
    }

    private boolean maySend() {
        return connection != null && !paused && inFlight < limit && slots.hasFree();
    }

    private boolean isStuck() {
        return connection != null && abandoned > 0 && abandoned == inFlight && inFlight >= limit && hasWork();
    }

    private boolean hasWork() {
        return toResend > 0 || !waiting.isEmpty();
    }

    private CallSlot claim(CallSlot slot) {
        inFlight++;
        slot.call.state = State.SENDING;
        slot.call.connection = connection;
        return slot;
    }

    /** Sends what waits, as far as credits go. */
    private void pump() {
        while (true) {
            CallSlot slot;
            lock.lock();
            try {
                slot = next();
            } finally {
                lock.unlock();
            }
            if (slot == null) {
                return;
            }
            send(slot, slot.call, slot.call.connection);
        }
    }

    private CallSlot next() {
        if (connection == null || paused || inFlight >= limit) {
            return null;
        }
        if (toResend > 0) {
            toResend--;
            return claim(slots.oldestToResend());
        }
        return waiting.isEmpty() || !slots.hasFree() ? null : claim(slots.take(waiting.poll()));
    }

    private void send(CallSlot slot, PendingCall<?> call, Connection there) {
        int length = LOST;
        Outcome failure = null;
        try {
            length = there.encoder().encode(slot, call.message(), there.sendBuffer(slot.index));
        } catch (RdmaException e) {
            if (there.isUsable() && e.kind() != RdmaException.Kind.DISCONNECTED) {
                failure = new Outcome(null, noMemory(e));
            }
        } catch (RuntimeException e) {
            failure = new Outcome(null, e);
        }
        boolean chunked = slot.header.hasChunks();
        switch (settleSending(slot, call, there, failure)) {
            case SENT -> {
                if (chunked) {
                    counters.increment(Counter.CHUNKED_CALLS);
                }
                if (length != LOST) {
                    there.postCall(slot.index, length);
                }
            }
            case RESEND -> {
                pump(); // there may be another connection already
                owner.connectionNeeded();
            }
            default -> {
                call.end(call.ending);
                pump();
            }
        }
    }

    private TransportLostException noMemory(RdmaException cause) {
        return new TransportLostException(
                "cannot open memory to " + owner.peer() + " for a call: " + cause.getMessage(), cause);
    }

    /** What becomes of a call that was encoded: SENT, RESEND where the connection went meanwhile, or DONE. */
    private State settleSending(CallSlot slot, PendingCall<?> call, Connection there, Outcome failure) {
        boolean keep;
        lock.lock();
        try {
            if (failure != null && call.ending == null) {
                call.ending = failure;
            }
            keep = call.ending == null && connection == there;
            if (keep) {
                call.state = State.SENT;
                if (call.transmitted) {
                    counters.increment(Counter.RETRANSMISSIONS);
                }
                call.transmitted = true;
                return State.SENT;
            }
        } finally {
            lock.unlock();
        }
        slot.memory.release();
        lock.lock();
        try {
            if (connection == there) {
                leaveFlight();
            }
            if (call.ending != null) {
                call.state = State.DONE;
                slots.free(slot);
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
        if (inFlight == abandoned) {
            quiet.signalAll();
        }
    }

    /** Whether a steering tag is of the call, outstanding or given up, with that XID. Any thread. */
    boolean ownsTag(int xid, int tag) {
        lock.lock();
        try {
            CallSlot slot = slots.find(xid);
            return slot != null && slot.memory.ownsTag(tag);
        } finally {
            lock.unlock();
        }
    }

    /** A reply came. Receive thread. */
    void onReply(Connection from, ReceivedMessage received) {
        CallSlot slot = claimAnswered(from, received);
        if (slot != null) {
            complete(slot.call, slot, from, received);
        }
    }

    private <T> void complete(PendingCall<T> call, CallSlot slot, Connection from, ReceivedMessage received) {
        T value = null;
        Throwable failure = null;
        int granted = received.header().credits();
        try {
            slot.memory.fence();
            ReplyDecoding<T> decoded = ReplyDecoding.of(from.replyReader(), slot, received, call.decoder());
            value = decoded.value();
            failure = decoded.failure();
            if (!decoded.isReply()) {
                granted = 0; // of a message that is no valid reply no field is used
            }
        } finally {
            received.release(); // before the credit is used again: its reply needs the receive
            finish(slot, call, from, granted);
        }
        if (failure == null) {
            call.succeed(value);
        } else {
            call.fail(failure);
        }
        pump();
    }

    /** The slot whose call is answered by that message, claimed; null where there is nothing left to complete. */
    private CallSlot claimAnswered(Connection from, ReceivedMessage received) {
        TransportHeader header = received.header();
        boolean late;
        boolean freed = false;
        lock.lock();
        try {
            CallSlot slot = connection == from ? slots.find(header.xid()) : null;
            if (slot != null && slot.call != null && slot.call.state == State.SENT) {
                slot.call.state = State.COMPLETING;
                return slot;
            }
            late = slot != null && (slot.abandoned || slot.call.state == State.ENDING);
            if (late) {
                grant(header.credits());
                freed = settleLate(slot);
            }
        } finally {
            lock.unlock();
        }
        counters.increment(late ? Counter.LATE_REPLIES : Counter.DROPPED);
        received.release();
        if (freed) {
            pump();
        }
        return null;
    }

    /** The reply of a call given up came: its credit is free, at once or when the one who gives it up is done. */
    private boolean settleLate(CallSlot slot) {
        if (!slot.abandoned) {
            slot.settled = true;
            return false;
        }
        abandoned--;
        leaveFlight();
        slots.free(slot);
        return true;
    }

    private void finish(CallSlot slot, PendingCall<?> call, Connection from, int granted) {
        slot.memory.release();
        counters.increment(Counter.REPLIES);
        lock.lock();
        try {
            call.state = State.DONE;
            slots.free(slot);
            if (connection == from) {
                grant(granted);
                leaveFlight();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes a grant: up or down, never over what was asked for; none is ever zero (RFC 8166 section 3.3.1). */
    private void grant(int granted) {
        if (granted != 0) {
            limit = granted < 0 ? requested : Math.min(granted, requested); // an unsigned number
        }
    }

    /** The peer answered a call with an error of the transport's; no credit is taken from it. Receive thread. */
    void onError(Connection from, ReceivedMessage received) {
        TransportHeader header = received.header();
        String what = header.error() == HeaderError.VERSION
                ? owner.peer() + " speaks RPC-over-RDMA versions " + Integer.toUnsignedString(header.lowVersion())
                        + " to " + Integer.toUnsignedString(header.highVersion()) + " only, not the one used"
                : owner.peer() + " could not use the call's header or chunks, or its reply fits what was offered"
                        + " for it nowhere";
        endAnswered(from, received, new PeerProtocolException(what + " (RFC 8166 4.5)", null));
    }

    /** What came has the XID of a call, perhaps, but is no header (RFC 8166 section 4.5). Receive thread. */
    void onUnparsable(Connection from, int xid, ReceivedMessage received, HeaderException finding) {
        received.header().clear().xid(xid);
        endAnswered(
                from, received, new PeerProtocolException(owner.peer() + " sent a reply that cannot be read", finding));
    }

    private void endAnswered(Connection from, ReceivedMessage received, PeerProtocolException failure) {
        received.header().credits(0);
        CallSlot slot = claimAnswered(from, received);
        if (slot != null) {
            PendingCall<?> call = slot.call;
            slot.memory.fence();
            received.release();
            finish(slot, call, from, 0);
            call.fail(failure);
            pump();
        }
    }

    /**
     * Ends a call before its reply: fences its memory, then completes its future.
     *
     * @return false where it is too late, or somebody else is at it
     */
    boolean giveUp(PendingCall<?> call, Outcome outcome) {
        CallSlot slot = null;
        lock.lock();
        try {
            switch (call.state) {
                case WAITING -> waiting.remove(call);
                case RESEND -> {
                    toResend--;
                    slots.free(call.slot);
                }
                case SENT -> {
                    slot = call.slot;
                    call.state = State.ENDING;
                }
                case SENDING -> {
                    boolean first = call.ending == null;
                    call.ending = first ? outcome : call.ending;
                    return first;
                }
                default -> {
                    return false;
                }
            }
            if (slot == null) {
                call.state = State.DONE;
            }
        } finally {
            lock.unlock();
        }
        if (slot != null) {
            abandon(slot, call);
        }
        call.end(outcome);
        if (slot != null) {
            pump();
        }
        return true;
    }

    private void abandon(CallSlot slot, PendingCall<?> call) {
        slot.memory.release();
        Connection there;
        boolean stuck;
        lock.lock();
        try {
            call.state = State.DONE;
            there = connection;
            boolean stands = there != null && call.connection == there;
            if (stands && !slot.settled) {
                slot.call = null;
                slot.abandoned = true;
                abandoned++;
                if (inFlight == abandoned) {
                    quiet.signalAll();
                }
            } else {
                slots.free(slot);
                if (stands) {
                    leaveFlight();
                }
            }
            stuck = isStuck();
        } finally {
            lock.unlock();
        }
        if (stuck) {
            owner.connectionStuck(there);
        }
    }

    /**
     * Sends from now on by that connection: what was in flight first, in its order, one at a time until the peer has
     * granted more.
     *
     * @return false where the connection has ended already, or this is closed
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
        } finally {
            lock.unlock();
        }
        pump();
        return true;
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

    /** Whether calls wait to be sent. */
    boolean hasPending() {
        lock.lock();
        try {
            return hasWork();
        } finally {
            lock.unlock();
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

    /** Fails every call that there is; those made from now on are not affected. */
    void failAll(RpcException reason) {
        List<PendingCall<?>> all;
        lock.lock();
        try {
            all = new ArrayList<>(waiting);
            for (int i = 0; i < slots.size(); i++) {
                if (slots.get(i).call != null) {
                    all.add(slots.get(i).call);
                }
            }
        } finally {
            lock.unlock();
        }
        Outcome outcome = new Outcome(null, reason);
        all.forEach(call -> giveUp(call, outcome));
    }

    /** Fails every call that there is and will be. */
    void close(RpcException reason) {
        lock.lock();
        try {
            closed = reason;
        } finally {
            lock.unlock();
        }
        failAll(reason);
    }

    /** Gives up the calls whose time is over. Clock thread. */
    private long expire(long now) {
        List<PendingCall<?>> late = new ArrayList<>();
        long earliest = Long.MAX_VALUE;
        lock.lock();
        try {
            for (int i = 0; i < slots.size(); i++) {
                earliest = sort(slots.get(i).call, now, earliest, late);
            }
            for (PendingCall<?> call : waiting) {
                earliest = sort(call, now, earliest, late);
            }
        } finally {
            lock.unlock();
        }
        for (PendingCall<?> call : late) {
            if (giveUp(call, new Outcome(null, deadlines.exceeded(call, owner.peer())))) {
                counters.increment(Counter.TIMEOUTS);
            }
        }
        return earliest;
    }

    private static long sort(PendingCall<?> call, long now, long earliest, List<PendingCall<?>> late) {
        if (call == null) {
            return earliest;
        }
        long left = call.deadline() - now;
        if (left <= 0) {
            late.add(call);
            return earliest;
        }
        return Math.min(earliest, left);
    }
}
