package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.OptionalExchange;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.rpcrdma.dispatcher.internal.requester.CallTable.Answered;
import io.verbena.runtime.Runtime;

/**
 * Handles the messages that answer the calls of one requester: settles credits, checks and decodes replies, completes
 * calls. Receive thread.
 *
 * <p>Faults of an answer, and their consequences:
 *
 * <pre>
 * an XID that no call has, or one given up       dropped; of the latter the credits are taken
 * a header that cannot be decoded, chunks other  the call fails with PeerProtocolException; no credits are taken
 *   than those offered, an RPC message that is
 *   no reply or another's
 * ERR_VERS with a version that was not tried yet  the call goes out again in that one; no credits are taken
 * ERR_VERS for a version that the peer has        the connection ends: a framing of one end may be being replaced,
 *   spoken before, or with such a version whose    and the calls go out again by the next connection
 *   framing is not here
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
final class ReplyHandler {
    private final Runtime runtime;
    private final CallTable calls;
    private final CallDeadlines deadlines;
    private final RequesterOwner owner;
    private final Counters counters;
    private final CallTimes times;
    private final CallEvents events;
    private final Runnable pump;

    /**
     * @param pump sends the calls that wait, as far as credits go
     */
    ReplyHandler(
            Runtime runtime,
            CallTable calls,
            CallDeadlines deadlines,
            RequesterOwner owner,
            Counters counters,
            CallTimes times,
            CallEvents events,
            Runnable pump) {
        this.runtime = runtime;
        this.calls = calls;
        this.deadlines = deadlines;
        this.owner = owner;
        this.counters = counters;
        this.times = times;
        this.events = events;
        this.pump = pump;
    }

    /** A reply came. Receive thread. */
    void onReply(Connection from, ReceivedMessage received) {
        Answered answered =
                calls.answered(from, received.header().xid(), received.header().credits());
        if (answered != Answered.UNKNOWN) {
            from.activity().answered();
            versionAccepted(from);
        }
        if (answered == Answered.CALL) {
            CallSlot slot = calls.slot(received.header().xid());
            complete(slot.call, slot, from, received);
        } else {
            drop(received, answered);
        }
    }

    /** The reply that settles the version is the reply of a call, which goes on whatever becomes of the connection. */
    private static void versionAccepted(Connection from) {
        try {
            ConnectionCalls.of(from).versionAccepted();
        } catch (Throwable e) {
            from.failUnexpectedly(e);
        }
    }

    /** Sends the questions of optional operations, as far as there are credits to spare. */
    private void ask(Connection by) {
        OptionalExchange exchange = by.optional();
        while (exchange.isDue() && calls.maySpareCredit(by)) {
            OptionalExchange.Question question = exchange.next();
            CallSlot slot = question == null ? null : calls.question(by);
            if (slot != null) {
                ask(by, slot, question);
            }
        }
    }

    private static void ask(Connection by, CallSlot slot, OptionalExchange.Question question) {
        try {
            ConnectionCalls.of(by).ask(slot, question);
        } catch (Throwable e) {
            by.failUnexpectedly(e); // which gives its credit back
        }
    }

    /** The answer to the question of an optional operation came. */
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
            counters.increment(Counter.HEADER_ERRORS); // the settings stay as they are
        }
        settleQuestion(from, received, header.credits());
    }

    private void settleQuestion(Connection from, ReceivedMessage received, int granted) {
        calls.answered(from, received.header().xid(), granted);
        received.release();
        pump.run();
    }

    /** Claims the call that a message answers; false where there is none, and the message was dropped. */
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
        pump.run();
    }

    private <T> void complete(PendingCall<T> call, CallSlot slot, Connection from, ReceivedMessage received) {
        DecodedReply<T> decoded = decode(call, slot, from, received);
        int granted = decoded.isReply() ? received.header().credits() : 0;
        finish(slot, from, received, granted);
        ask(from);
        if (decoded.failure() == null) {
            call.succeed(decoded.value());
        } else {
            call.fail(decoded.failure());
        }
        pump.run();
    }

    /** Decodes a reply. A throwable fails the call, and no credits are taken then. */
    private <T> DecodedReply<T> decode(PendingCall<T> call, CallSlot slot, Connection from, ReceivedMessage received) {
        try {
            times.replied(runtime.nanoTime() - call.sentNanos);
            events.replied(call, received);
            slot.memory.fence();
            return DecodedReply.of(ConnectionCalls.of(from).replyReader(), slot, received, call.decoder());
        } catch (Throwable e) {
            return new DecodedReply<>(null, e, false);
        }
    }

    private void finish(CallSlot slot, Connection from, ReceivedMessage received, int granted) {
        received.release(); // before the credit is used again: its reply needs the receive
        slot.memory.release();
        counters.increment(Counter.REPLIES);
        calls.finished(slot, from, granted);
    }

    /** The peer answered a call with an error of the transport. */
    void onError(Connection from, ReceivedMessage received) {
        TransportHeader header = received.header();
        if (calls.isQuestion(from, header.xid())) {
            settleQuestion(from, received, 0); // an operation that the peer does not know
            return;
        }
        boolean refused = header.error() == HeaderError.VERSION && calls.slot(header.xid()) != null;
        if (refused && ConnectionCalls.of(from).otherVersion(header.lowVersion(), header.highVersion())) {
            sendAgain(from, received);
            return;
        }
        if (refused
                && (ConnectionCalls.of(from).awaitsLowerVersion(header.lowVersion(), header.highVersion())
                        || ConnectionCalls.of(from).awaitsFraming(header.lowVersion(), header.highVersion()))) {
            received.release();
            from.end(new TransportLostException(
                    owner.peer() + " speaks versions of RPC-over-RDMA of which none is there now on both ends", null));
            return;
        }
        String what = header.error() == HeaderError.VERSION
                ? " speaks RPC-over-RDMA versions " + Integer.toUnsignedString(header.lowVersion()) + " to "
                        + Integer.toUnsignedString(header.highVersion()) + " only, not the one used"
                : " could not use the call's header or chunks, or found no room for the reply";
        failAnswered(from, received, new PeerProtocolException(owner.peer() + what + " (RFC 8166 4.5)", null));
    }

    /** The peer takes another version than that of the call: the call is sent again in that version. */
    private void sendAgain(Connection from, ReceivedMessage received) {
        if (claims(from, received, 0)) {
            CallSlot slot = calls.slot(received.header().xid());
            slot.memory.fence();
            received.release();
            slot.memory.release();
            PendingCall<?> call = slot.call;
            RpcException closed = calls.resend(slot);
            if (closed == null) {
                deadlines.watch(call.deadline()); // the clock thread could not time the call out while it was claimed
            } else {
                call.fail(closed);
            }
            pump.run();
        }
    }

    /** A message has the XID of a call, perhaps, and a header that cannot be decoded. */
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
            pump.run();
        }
    }
}
