package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.memory.MemoryShare;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.Ending;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.State;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.RdmaException;
import java.util.concurrent.CompletableFuture;

/**
 * Makes calls in one direction (RFC 8166 section 4); {@link ReplyHandler} takes their replies. On a connecting end a
 * requester outlives the connections that its calls go by; on an accepting end it belongs to one connection. The thread
 * that makes a call sends it where there is a credit; otherwise the thread that brings the credit sends it. The future
 * of a call completes on the receive thread, without a hand-over in between. {@link CallTable} keeps the states of the
 * calls.
 */
public final class Requester implements PendingCall.Owner {
    /** The most calls in flight at once that a user may ask for. */
    public static final int MAX_CALLS = 1 << 14;

    /** The calls that a connection has room for at first: one at a time, and another one beside, such as a renewal. */
    private static final int FIRST_ROOM = 2;

    /** The length of a call that could not be encoded because the connection ended; the call will be sent again. */
    private static final int LOST = -1;

    private final Runtime runtime;
    private final CallTable calls;
    private final CallDeadlines deadlines;
    private final RequesterOwner owner;
    private final Counters counters;
    private final CallTimes times = new CallTimes();
    private final CallEvents events;
    private final ReplyHandler replies;
    private final int requested;

    /**
     * @param requested the most calls in flight at once: the credits to ask for
     * @param memory what long calls and replies are leased from
     */
    public Requester(
            int requested, RequesterOwner owner, TransportContext context, MemoryShare memory, Counters counters) {
        this.requested = requested;
        this.owner = owner;
        this.counters = counters;
        runtime = context.runtime();
        events = new CallEvents(owner, runtime);
        calls = new CallTable(requested, memory, counters, runtime);
        deadlines = new CallDeadlines(runtime, context.workers(), this::expire);
        replies = new ReplyHandler(runtime, calls, deadlines, owner, counters, times, events, this::pump);
    }

    public int requested() {
        return requested;
    }

    /** The calls that a new connection has room for: some, and each that waits to be sent again. */
    public int firstRoom() {
        return Math.min(requested, Math.max(FIRST_ROOM, calls.slotsTaken()));
    }

    /** The calls that may be in flight at once now. */
    public int limit() {
        return calls.limit();
    }

    /** The gauges of the calls. */
    public CreditUsage gauges() {
        return calls.gauges();
    }

    /** How long calls take. */
    public CallTimes times() {
        return times;
    }

    /** The handler of messages that answer the calls. */
    ReplyHandler replies() {
        return replies;
    }

    @Override
    public void completed(PendingCall<?> call, Throwable failure) {
        events.completed(call, failure);
    }

    public <T> CompletableFuture<T> call(RpcCall message, ReplyDecoder<T> decoder) {
        long now = runtime.nanoTime();
        PendingCall<T> call =
                new PendingCall<>(this, message, decoder, now, now + DurationConverter.of(message.timeout()));
        CallSlot slot;
        try {
            slot = calls.admit(call);
        } catch (RpcException e) {
            call.fail(failure(e, false));
            return call;
        }
        try {
            counters.increment(Counter.CALLS);
            events.queued(call);
            deadlines.watch(call.deadline());
        } catch (Throwable e) { // a call without a time limit must not go out: its sender withdraws it
            giveUp(call, sent -> new Outcome(null, e));
        }
        if (slot != null) {
            if (!send(slot)) {
                pump(); // a credit is free again, or there is another connection
            }
        } else if (calls.connection() == null) {
            owner.connectionNeeded();
        } else {
            pump();
        }
        return call;
    }

    /** Sends the calls that wait, as far as credits go. Where none would ever go, the connection is made again. */
    private void pump() {
        do {
            for (CallSlot slot = calls.next(); slot != null; slot = calls.next()) {
                boolean unused = send(slot); // a credit that comes back serves the next call
            }
            if (!calls.hasPending()) {
                return;
            }
        } while (grow());
        Connection stuck = calls.stuck();
        if (stuck != null) {
            owner.connectionStuck(stuck);
        }
    }

    /** Makes room for more calls where calls wait for that alone; returns whether there is more room now. */
    private boolean grow() {
        Connection there = calls.lacksRoom();
        if (there == null) {
            return false;
        }
        ConnectionCalls by = ConnectionCalls.of(there);
        boolean grown = by.grow(calls.slotsTaken());
        if (grown) {
            calls.grown(there, by.room());
        }
        return grown;
    }

    /** Returns false where the call is not sent, so that another one may be. */
    private boolean send(CallSlot slot) {
        PendingCall<?> call = slot.call;
        Connection there = call.connection;
        int length = LOST;
        Outcome failure = null;
        try {
            int octets = ConnectionCalls.of(there).encode(slot, call.message());
            encoded(slot, call, octets);
            length = octets;
        } catch (RdmaException e) {
            if (there.isUsable() && e.kind() != RdmaException.Kind.DISCONNECTED) {
                failure = new Outcome(null, noMemory(e, call.transmitted));
            }
        } catch (RpcRejectedException e) { // it cannot be protected any more
            failure = new Outcome(null, e.withSent(call.transmitted));
        } catch (Throwable e) {
            failure = new Outcome(null, e);
        }
        if (!calls.sent(call, failure)) {
            withdraw(slot, call);
            return false;
        }
        if (length != LOST) {
            ConnectionCalls.of(there).post(slot, length);
        }
        return true;
    }

    /** A call is about to be posted. Its slot is read now: after the post it may belong to another call. */
    private void encoded(CallSlot slot, PendingCall<?> call, int length) {
        long now = runtime.nanoTime();
        if (!call.transmitted) {
            times.sent(now - call.madeNanos);
        }
        call.sentNanos = now;
        TransportHeader header = slot.header;
        long exposed = 0;
        if (header.hasChunks()) {
            for (int i = 0; i < header.readList().size(); i++) {
                exposed += header.readList().length(i);
            }
            counters.increment(Counter.CHUNKED_CALLS);
            counters.add(Counter.READ_CHUNK_BYTES, exposed);
            counters.add(Counter.REGISTRATIONS_MADE, slot.memory.regions());
        }
        events.sent(call, slot, length, exposed);
    }

    private void withdraw(CallSlot slot, PendingCall<?> call) {
        slot.memory.release();
        if (calls.withdraw(call) == State.DONE) {
            call.end(call.ending);
        } else {
            owner.connectionNeeded();
        }
    }

    private LocalResourceException noMemory(RdmaException cause, boolean sentBefore) {
        return new LocalResourceException(
                "cannot open memory to " + owner.peer() + " for a call: " + cause.getMessage(), cause, sentBefore);
    }

    /** Whether a steering tag is of the call, outstanding or given up, with that XID. */
    boolean ownsTag(int xid, int tag) {
        return calls.ownsTag(xid, tag);
    }

    /** Whether an answer is due to a call, outstanding or given up, with that XID. */
    boolean awaits(int xid) {
        return calls.slot(xid) != null;
    }

    @Override
    public boolean giveUp(PendingCall<?> call, Ending how) {
        State state = calls.giveUp(call, how);
        Outcome outcome = call.ending;
        if (state == State.ENDING) {
            if (outcome.failure() instanceof CallTimedOutException) {
                call.connection.unanswered();
            }
            call.slot.memory.release();
            calls.abandon(call);
            call.end(outcome);
            pump();
        } else if (state == State.DONE) {
            call.end(outcome);
        }
        return state != null;
    }

    /**
     * Sends calls by another connection from now on: first those that were in flight, claimed in their order, one at a
     * time until the peer has granted more.
     *
     * @param first runs before the first call is sent, where the connection is taken
     * @return false where the connection has ended already, or this requester is closed
     */
    public boolean attach(Connection fresh, Runnable first) {
        boolean attached = calls.attach(fresh, ConnectionCalls.of(fresh).room());
        if (attached) {
            first.run();
            pump();
        }
        return attached;
    }

    /** The connection has ended: the calls that it carried wait to be sent again. */
    void detach(Connection lost) {
        calls.detach(lost);
    }

    /** The calls that wait to be sent again. */
    public int toResend() {
        return calls.toResend();
    }

    /** Whether calls wait to be sent. */
    public boolean hasPending() {
        return calls.hasPending();
    }

    /**
     * Sends no more by a connection, and waits for the replies that are still to come by it.
     *
     * @param deadline the latest end of the wait, on the runtime's clock
     */
    public void drain(Connection leaving, long deadline) {
        calls.drain(leaving, deadline);
    }

    /** Fails all present calls; later calls are not affected. */
    public void failAll(RpcException reason) {
        calls.all().forEach(call -> giveUp(call, sent -> new Outcome(null, failure(reason, sent))));
    }

    /** The failure of one call. A call that never went out can safely be made again, and its failure says so. */
    private static RpcException failure(RpcException reason, boolean sent) {
        if (reason instanceof MissingServiceException && sent) {
            return new MissingServiceException(reason.getMessage(), true);
        }
        return reason instanceof TransportLostException lost && !sent ? TransportErrors.unsent(lost) : reason;
    }

    /** Fails all present and later calls. */
    public void close(RpcException reason) {
        calls.close(reason);
        failAll(reason);
        deadlines.close();
    }

    /**
     * Gives up the calls whose time limit is over. Clock thread.
     *
     * @return the nanoseconds until the next deadline, {@link Long#MAX_VALUE} where there is none
     */
    private long expire(long now) {
        boolean excused = owner.isServiceMissing();
        long next = Long.MAX_VALUE;
        for (PendingCall<?> call : calls.all()) {
            long left = call.deadline() - now;
            if (left <= 0 && excused) {
                long later = postponed(call, now);
                if (later - now > 0 && calls.postpone(call, later)) {
                    left = later - now;
                }
            }
            if (left > 0) {
                next = Math.min(next, left);
            } else if (expire(call)) {
                counters.increment(Counter.TIMEOUTS);
            }
        }
        return next;
    }

    private long postponed(PendingCall<?> call, long now) {
        long timeout = DurationConverter.of(call.message().timeout());
        return CallDeadlines.postponed(now, call.madeNanos, timeout, owner.serviceNanos());
    }

    private boolean expire(PendingCall<?> call) {
        String peer = owner.peer(); // read without the lock of the calls
        return giveUp(call, sent -> new Outcome(null, deadlines.exceeded(call, sent, peer)));
    }
}
