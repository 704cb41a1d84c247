package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderException;

/**
 * Hands each message that one connection receives to the role of this end that it belongs to: a call to the responder,
 * what answers a call to the requester. Which of the two is {@link Router}'s to say; the roles share nothing, so that
 * XIDs, credits and what waits for them are kept apart (RFC 8167 sections 2.4 and 4.1). Receive thread.
 *
 * <p>What has no direction of its own is told by the calls that are outstanding, and by what the ends are:
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
final class Inbound {
    private final Connection connection;
    private final SpokenVersion version;
    private final Counters counters;
    private volatile Requester requester;
    private Responder responder;
    private boolean accepting;

    Inbound(Connection connection, SpokenVersion version, Counters counters) {
        this.connection = connection;
        this.version = version;
        this.counters = counters;
    }

    /** Who answers the peer's calls. Before the first message. */
    void responder(Responder answers, boolean acceptingEnd) {
        responder = answers;
        accepting = acceptingEnd;
    }

    Responder responder() {
        return responder;
    }

    /** Who makes calls to the peer. Before the first of them; any thread. */
    void requester(Requester calls) {
        requester = calls;
    }

    /** Null where no calls are made. */
    Requester requester() {
        return requester;
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
        Router.Route route =
                Router.route(received.header(), received.buffer(), received.rpcOffset(), received.rpcLength());
        Requester calls = requester;
        boolean question = received.header().direction() == Direction.CALL;
        boolean answers = calls != null && (route == Router.Route.REPLY || route == Router.Route.ERROR);
        if (received.invalidated() && !(answers && ownsInvalidated(calls, received))) {
            endForInvalidation(received);
        } else if (route == Router.Route.CALL) {
            responder.onCall(received);
        } else if (route == Router.Route.OPTIONAL && question) {
            responder.onOptional(received);
        } else if (route == Router.Route.OPTIONAL && calls != null) {
            calls.onOptional(connection, received);
        } else if (!answers) {
            counters.increment(Counter.DROPPED);
        } else if (route == Router.Route.REPLY) {
            calls.onReply(connection, received);
        } else {
            calls.onError(connection, received);
        }
    }

    /** The framing to read a message with; on an accepting end that of the first message, for good. */
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
        Requester calls = requester;
        if (received.invalidated()) {
            endForInvalidation(received);
        } else if (told != Direction.CALL && calls != null && calls.awaits(xid)) {
            calls.onUnparsable(connection, xid, received, finding);
        } else if (told == Direction.CALL || (accepting && told == Direction.UNKNOWN)) {
            responder.onUnparsable(received, finding);
        } else {
            counters.increment(Counter.DROPPED);
        }
    }

    private void dropUnlessInvalidating(ReceivedMessage received) {
        if (!received.isKept()) { // else it was answered with ERR_VERS
            counters.increment(Counter.DROPPED);
        }
        if (received.invalidated()) {
            endForInvalidation(received);
        }
    }

    private static boolean ownsInvalidated(Requester calls, ReceivedMessage received) {
        return calls.ownsTag(received.header().xid(), received.invalidatedTag());
    }

    /** The peer took memory away that it had no business with: what else it does cannot be trusted. */
    private void endForInvalidation(ReceivedMessage received) {
        connection.end(new PeerProtocolException(
                "the peer invalidated steering tag " + ReplyReader.hex(received.invalidatedTag())
                        + " by a message that does not answer the call it belongs to (RFC 8797 4.1)",
                null));
    }
}
