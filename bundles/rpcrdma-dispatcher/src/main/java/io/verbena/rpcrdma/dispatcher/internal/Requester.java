package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.dispatcher.internal.CallTable.Answered;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.Ending;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.PendingCall.State;
import io.verbena.verbs.RdmaException;
import java.util.concurrent.CompletableFuture;

/**
 * Makes calls in one direction and takes their replies (RFC 8166 section 4). On a connecting
 * end it outlives the connections that its calls go by; on an accepting end it belongs to one. A call is sent by the thread that makes it where there is a credit, else by the thread that brings the credit;
 * its future completes on the receive thread, without a hand-off in between. {@link CallTable} keeps the books.
 *
 * <p>What is wrong with an answer, and what becomes of it:
 *
 * <pre>
 * an XID that no call has, or one given up       dropped; of the latter the credits are taken
 * a header that cannot be decoded, chunks other  the call fails with PeerProtocolException; no credits are taken
 *   than those offered, an RPC message that is
 *   no reply or another's
 * ERR_VERS with a version that was not tried yet  the call goes out again in that one; no credits are taken
 * any other RDMA_ERROR                           the call fails with PeerProtocolException; no credits are taken
 * an answer to the question of an optional        the operation has it, the credits are taken; an RDMA_ERROR, or one
 *   operation                                      that is malformed, changes nothing
 * an RPC header that cannot be decoded           the call fails with PeerProtocolException
 * a call refused by the program                  the call fails with RpcRejectedException
 * results that cannot be decoded                 the call fails with what the decoder threw
 * a steering tag invalidated that is not the     the connection ends
 *   call's
 * </pre>
 */
final class Requester {
    /** The most calls in flight at once that anybody may ask for. */
    static final int MAX_CALLS = 1 << 14;

    /** The length of a call that could not be encoded since the connection is gone; it will be sent again. */
    private static final int LOST = -1;

    /** What a requester asks of the one who makes its connections. Called without any lock held. */
    interface Owner {
        /** There are calls; there may be no connection. */
        void connectionNeeded();

        /** The peer does not answer, and holds every credit. */
        void connectionStuck(Connection connection);

        /** Whether calls wait for a service that is missing on this host; their time limits wait with them. */
        boolean isServiceMissing();

        /** Who the peer is, for messages. */
        String peer();

        /** The number of the connection, as everything that tells of it gives it. */
        long connectionId();

        /** What the connection is for, for people; may be empty. */
        String label();
    }

    private final CallTable calls;
    private final CallDeadlines deadlines;
    private final Owner owner;
    private final Counters counters;
    private final CallTimes times = new CallTimes();
    private final CallEvents events;
    private final int requested;

    /**
     * @param requested the most calls in flight at once: the credits to ask for
     */
    Requester(int requested, Owner owner, Environment environment, Counters counters) {
        this.requested = requested;
        this.owner = owner;
        this.counters = counters;
        events = new CallEvents(owner);
        calls = new CallTable(requested, environment.memory(), counters);
        deadlines = new CallDeadlines(environment.workers(), this::expire);
    }

    int requested() {
        return requested;
    }

    /** The calls that may be in flight at once now. */
    int limit() {
        return calls.limit();
    }

    /** How many calls there may be, and are. */
    CallTable.Gauges gauges() {
        return calls.gauges();
    }

    /** How long calls take. */
    CallTimes times() {
        return times;
    }

    CallEvents events() {
        return events;
    }

    <T> CompletableFuture<T> call(RpcCall message, ReplyDecoder<T> decoder) {
        PendingCall<T> call = new PendingCall<>(this, message, decoder, deadlines.of(message.timeout()));
        CallSlot slot;
        try {
            slot = calls.admit(call);
        } catch (RpcException e) {
            call.fail(failure(e, false));
            return call;
        }
        counters.increment(Counter.CALLS);
        events.queued(call);
        deadlines.watch(call.deadline());
        if (slot != null) {
            send(slot);
        } else if (calls.connection() == null) {
            owner.connectionNeeded();
        } else {
            checkStuck();
        }
        return call;
    }

    /** Sends what waits, as far as credits go. */
    private void pump() {
        for (CallSlot slot = calls.next(); slot != null; slot = calls.next()) {
            send(slot);
        }
    }

    private void checkStuck() {
        Connection stuck = calls.stuck();
        if (stuck != null) {
            owner.connectionStuck(stuck);
        }
    }

    private void send(CallSlot slot) {
        PendingCall<?> call = slot.call;
        Connection there = call.connection;
        int length = LOST;
        Outcome failure = null;
        try {
            length = there.calls().encode(slot, call.message());
        } catch (RdmaException e) {
            if (there.isUsable() && e.kind() != RdmaException.Kind.DISCONNECTED) {
                failure = new Outcome(null, noMemory(e, call.transmitted));
            }
        } catch (RuntimeException e) {
            failure = new Outcome(null, e);
        }
        if (length != LOST && failure == null) {
            encoded(slot, call, length);
        }
        if (!calls.sent(call, failure)) {
            withdraw(slot, call);
        } else if (length != LOST) {
            there.calls().post(slot, length);
        }
    }

    /** A call is about to be posted: what its slot says of it is looked at now, which may be another's after that. */
    private void encoded(CallSlot slot, PendingCall<?> call, int length) {
        long now = System.nanoTime();
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
        pump(); // there is a credit again, or another connection already
    }

    private TransportLostException noMemory(RdmaException cause, boolean sentBefore) {
        return new TransportLostException(
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

    /** A reply came. Receive thread. */
    void onReply(Connection from, ReceivedMessage received) {
        Answered answered =
                calls.answered(from, received.header().xid(), received.header().credits());
        if (answered != Answered.UNKNOWN) {
            from.calls().versionAccepted();
        }
        if (answered == Answered.CALL) {
            CallSlot slot = calls.slot(received.header().xid());
            complete(slot.call, slot, from, received);
        } else {
            drop(received, answered);
        }
    }

    /** Optional operations ask what they have to ask, as far as there are credits to spare. Receive thread. */
    private void ask(Connection by) {
        OptionalExchange exchange = by.optional();
        while (exchange.isDue() && calls.maySpareCredit(by)) {
            OptionalExchange.Question question = exchange.next();
            CallSlot slot = question == null ? null : calls.question(by);
            if (slot != null) {
                by.calls().ask(slot, question);
            }
        }
    }

    /** The answer to a question came. Receive thread. */
    void onOptional(Connection from, ReceivedMessage received) {
        TransportHeader header = received.header();
        if (!calls.isQuestion(from, header.xid())
                || calls.slot(header.xid()).header.optionalType() != header.optionalType()) {
            counters.increment(Counter.DROPPED);
            return;
        }
        try {
            from.optional().answered(header.optionalType(), header.optionalInfo());
        } catch (HeaderException e) {
            counters.increment(Counter.HEADER_ERRORS); // all stays as it was
        }
        settleQuestion(from, received, header.credits());
    }

    private void settleQuestion(Connection from, ReceivedMessage received, int granted) {
        calls.answered(from, received.header().xid(), granted);
        received.release();
        pump();
    }

    /** Whether a message answers a call that waits for it; otherwise it has been dealt with. */
    private boolean claims(Connection from, ReceivedMessage received, int granted) {
        Answered answered = calls.answered(from, received.header().xid(), granted);
        if (answered != Answered.CALL) {
            drop(received, answered);
        }
        return answered == Answered.CALL;
    }

    private void drop(ReceivedMessage received, Answered answered) {
        counters.increment(answered == Answered.LATE ? Counter.LATE_REPLIES : Counter.DROPPED);
        received.release();
        pump();
    }

    private <T> void complete(PendingCall<T> call, CallSlot slot, Connection from, ReceivedMessage received) {
        times.replied(System.nanoTime() - call.sentNanos);
        events.replied(call, received);
        slot.memory.fence();
        ReplyDecoding<T> decoded = ReplyDecoding.of(from.calls().replyReader(), slot, received, call.decoder());
        int granted = decoded.isReply() ? received.header().credits() : 0;
        finish(slot, from, received, granted);
        ask(from);
        if (decoded.failure() == null) {
            call.succeed(decoded.value());
        } else {
            call.fail(decoded.failure());
        }
        pump();
    }

    private void finish(CallSlot slot, Connection from, ReceivedMessage received, int granted) {
        received.release(); // before the credit is used again: its reply needs the receive
        slot.memory.release();
        counters.increment(Counter.REPLIES);
        calls.finished(slot, from, granted);
    }

    /** The peer answered a call with an error of the transport's. Receive thread. */
    void onError(Connection from, ReceivedMessage received) {
        TransportHeader header = received.header();
        if (calls.isQuestion(from, header.xid())) {
            settleQuestion(from, received, 0); // an operation that the peer does not know
            return;
        }
        boolean refused = header.error() == HeaderError.VERSION && calls.slot(header.xid()) != null;
        if (refused && from.calls().otherVersion(header.lowVersion(), header.highVersion())) {
            sendAgain(from, received);
            return;
        }
        if (refused && from.calls().awaitsLowerVersion(header.lowVersion(), header.highVersion())) {
            received.release();
            from.end(new TransportLostException(
                    owner.peer() + " speaks a version of RPC-over-RDMA that is not there now", null));
            return;
        }
        String what = header.error() == HeaderError.VERSION
                ? " speaks RPC-over-RDMA versions " + Integer.toUnsignedString(header.lowVersion()) + " to "
                        + Integer.toUnsignedString(header.highVersion()) + " only, not the one used"
                : " could not use the call's header or chunks, or found no room for the reply";
        failAnswered(from, received, new PeerProtocolException(owner.peer() + what + " (RFC 8166 4.5)", null));
    }

    /** The peer takes another version than the call's: the call goes out in that one. */
    private void sendAgain(Connection from, ReceivedMessage received) {
        if (claims(from, received, 0)) {
            CallSlot slot = calls.slot(received.header().xid());
            slot.memory.fence();
            received.release();
            slot.memory.release();
            PendingCall<?> call = slot.call;
            RpcException closed = calls.again(slot);
            if (closed == null) {
                deadlines.watch(call.deadline()); // which could not end it while it was claimed
            } else {
                call.fail(closed);
            }
            pump();
        }
    }

    /** What came has the XID of a call, perhaps, but is no header. Receive thread. */
    void onUnparsable(Connection from, int xid, ReceivedMessage received, HeaderException finding) {
        received.header().clear().xid(xid);
        failAnswered(
                from, received, new PeerProtocolException(owner.peer() + " sent a reply that cannot be read", finding));
    }

    private void failAnswered(Connection from, ReceivedMessage received, PeerProtocolException failure) {
        if (claims(from, received, 0)) {
            CallSlot slot = calls.slot(received.header().xid());
            PendingCall<?> call = slot.call;
            finish(slot, from, received, 0);
            call.fail(failure);
            pump();
        }
    }

    /**
     * Ends a call before its reply: fences its memory, then completes its future. Any thread.
     *
     * @return false where it is too late, or somebody else is at it
     */
    boolean giveUp(PendingCall<?> call, Ending how) {
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
            checkStuck();
        } else if (state == State.DONE) {
            call.end(outcome);
        }
        return state != null;
    }

    /**
     * Sends from now on by that connection: what was in flight first, in its order, one at a time until the peer has
     * granted more.
     *
     * @param first runs before that, if it comes to it
     * @return false where the connection has ended already, or this is closed
     */
    boolean attach(Connection fresh, Runnable first) {
        boolean attached = calls.attach(fresh);
        if (attached) {
            first.run();
            pump();
        }
        return attached;
    }

    /** The connection has ended: what it carried waits to be sent again. */
    void detach(Connection lost) {
        calls.detach(lost);
    }

    /** The calls that wait to be sent again. */
    int toResend() {
        return calls.toResend();
    }

    /** Whether calls wait to be sent. */
    boolean hasPending() {
        return calls.hasPending();
    }

    /**
     * Sends no more on this connection, and waits for the replies that are still to come.
     *
     * @param deadline no longer than that, on the clock of {@link System#nanoTime}
     */
    void drain(Connection leaving, long deadline) {
        calls.drain(leaving, deadline);
    }

    /** Fails every call that there is; those made from now on are not affected. */
    void failAll(RpcException reason) {
        calls.all().forEach(call -> giveUp(call, sent -> new Outcome(null, failure(reason, sent))));
    }

    /** A call that never went out can be made again by whoever made it as if it had not been. */
    private static RpcException failure(RpcException reason, boolean sent) {
        if (reason instanceof MissingServiceException && sent) {
            return new MissingServiceException(reason.getMessage(), true);
        }
        return reason instanceof TransportLostException && !sent
                ? new TransportLostException(reason.getMessage(), reason, false)
                : reason;
    }

    /** Fails every call that there is and will be. */
    void close(RpcException reason) {
        calls.close(reason);
        failAll(reason);
        deadlines.close();
    }

    /** Gives up the calls whose time is over, and tells how long the next one has. Clock thread. */
    private long expire(long now) {
        boolean excused = owner.isServiceMissing();
        long next = Long.MAX_VALUE;
        for (PendingCall<?> call : calls.all()) {
            long left = call.deadline() - now;
            if (left <= 0
                    && excused
                    && calls.postpone(call, deadlines.of(call.message().timeout()))) {
                left = call.deadline() - now;
            }
            if (left > 0) {
                next = Math.min(next, left);
            } else if (expire(call)) {
                counters.increment(Counter.TIMEOUTS);
            }
        }
        return next;
    }

    private boolean expire(PendingCall<?> call) {
        String peer = owner.peer(); // not under the lock
        return giveUp(call, sent -> new Outcome(null, deadlines.exceeded(call, sent, peer)));
    }
}
