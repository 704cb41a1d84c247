package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.Hex;

/**
 * Hands each message that one connection receives to a role of this end: calls to the responder, replies and errors to
 * the requester. {@link DirectionClassifier} decides between the two. The roles share nothing, so that the XIDs,
 * credits and outstanding calls of the two directions are kept apart (RFC 8167 sections 2.4 and 4.1). Receive thread.
 *
 * <p>Some messages name no direction. They are attributed by the outstanding calls, and by which end this is:
 *
 * <pre>
 * RDMA_ERROR, of either version        the answer to the call of ours that has its XID; else it is dropped. It is
 *                                      never an answer to a reply, and so never of the other direction
 * a header that cannot be decoded
 *   and tells that it is a call        (Version Two only) a call: it is answered with an error
 *   has the XID of a call of ours      the answer to it
 *   comes to the accepting end         a call in the forward direction: it is answered with an error
 *   comes to the connecting end        dropped: a late reply and a reverse call cannot be told apart
 * a message that invalidated memory    has to be the reply to a call of ours whose memory that is, or the connection
 *                                      ends
 * </pre>
 *
 * No credits are taken from any of these.
 */
final class InboundDispatcher {
    private final Connection connection;
    private final VersionNegotiation version;
    private final Counters counters;
    private CallReceiver responder;
    private boolean accepting;

    InboundDispatcher(Connection connection, VersionNegotiation version, Counters counters) {
        this.connection = connection;
        this.version = version;
        this.counters = counters;
    }

    /** Sets the role that answers the calls of the peer. Before the first message. */
    void responder(CallReceiver answers, boolean acceptingEnd) {
        responder = answers;
        accepting = acceptingEnd;
    }

    CallReceiver responder() {
        return responder;
    }

    void take(ReceivedMessage received) {
        Framing codec = received.length() < FixedFields.LENGTH ? null : framingOf(received);
        if (codec == null) {
            dropUnlessInvalidating(received);
            return;
        }
        try {
            received.rpcOffset(codec.decode(received.buffer(), 0, received.length(), received.header()));
        } catch (HeaderException e) {
            refuse(received, e);
            return;
        }
        DirectionClassifier.Route route = DirectionClassifier.route(
                received.header(), received.buffer(), received.rpcOffset(), received.rpcLength());
        ReplyReceiver calls = connection.calls();
        boolean question = received.header().direction() == Direction.CALL;
        boolean answers =
                calls != null && (route == DirectionClassifier.Route.REPLY || route == DirectionClassifier.Route.ERROR);
        if (received.invalidated() && !(answers && ownsInvalidated(calls, received))) {
            endForInvalidation(received);
        } else if (route == DirectionClassifier.Route.CALL) {
            responder.onCall(received);
        } else if (route == DirectionClassifier.Route.OPTIONAL && question) {
            responder.onOptional(received);
        } else if (route == DirectionClassifier.Route.OPTIONAL && calls != null) {
            calls.onOptional(received);
        } else if (!answers) {
            counters.increment(Counter.DROPPED);
        } else if (route == DirectionClassifier.Route.REPLY) {
            calls.onReply(received);
        } else {
            calls.onError(received);
        }
    }

    /** The framing to decode a message with. On an accepting end the first message settles it. */
    private Framing framingOf(ReceivedMessage received) {
        Framing spoken = version.framing();
        if (spoken == null) {
            spoken = responder.framingOf(received);
            if (spoken != null) {
                version.take(spoken);
                return connection.hasFraming() ? spoken : null;
            }
        }
        return spoken;
    }

    private void refuse(ReceivedMessage received, HeaderException finding) {
        counters.increment(Counter.HEADER_ERRORS);
        Direction told = received.header().direction();
        int xid = FixedFields.xid(received.buffer(), 0);
        ReplyReceiver calls = connection.calls();
        if (received.invalidated()) {
            endForInvalidation(received);
        } else if (told != Direction.CALL && calls != null && calls.awaits(xid)) {
            calls.onUnparsable(xid, received, finding);
        } else if (told == Direction.CALL || (accepting && told == Direction.UNKNOWN)) {
            responder.onUnparsable(received, finding);
        } else {
            counters.increment(Counter.DROPPED);
        }
    }

    private void dropUnlessInvalidating(ReceivedMessage received) {
        if (!received.isKept()) { // otherwise it was answered with ERR_VERS
            counters.increment(Counter.DROPPED);
        }
        if (received.invalidated()) {
            endForInvalidation(received);
        }
    }

    private static boolean ownsInvalidated(ReplyReceiver calls, ReceivedMessage received) {
        return calls.ownsTag(received.header().xid(), received.invalidatedTag());
    }

    /** Ends the connection: the peer invalidated memory of another call, or of none, and cannot be trusted. */
    private void endForInvalidation(ReceivedMessage received) {
        connection.end(new PeerProtocolException(
                "the peer invalidated steering tag " + Hex.of(received.invalidatedTag())
                        + " by a message that does not answer the call it belongs to (RFC 8797 4.1)",
                null));
    }
}
