package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpc.RpcMessages;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;

/**
 * Decides which direction a received message belongs to, and nothing else. Where the transport header does not tell
 * (Version One), the RPC message type does, or the chunks that only calls or only replies can have (RFC 8166 section
 * 3.5, RFC 8167 section 5):
 *
 * <pre>
 * RDMA_ERROR                                     the answer to a call of ours
 * RDMA_DONE                                      nobody's
 * RDMA2_OPTIONAL                                 no RPC's
 * RDMA_MSG, RDMA_MSGP with msg_type CALL         a call, if a whole call header may be there
 *                     with msg_type REPLY        a reply, if a whole reply header may be there
 *                     with anything else         nobody's
 * RDMA_NOMSG with a Read list                    a call: replies have none
 *            with a Reply chunk only             a reply
 *            with neither                        nobody's
 * </pre>
 *
 * A message of neither direction is dropped, and none of its fields is used: a direction is never guessed.
 */
public final class DirectionClassifier {
    /** The shortest call: XID, type, RPC version, program, version, procedure, two empty {@code opaque_auth}. */
    public static final int MIN_CALL = 40;

    /** The shortest reply: XID, type, denied, authentication error, why. */
    public static final int MIN_REPLY = 20;

    /** The role or handling of a message. */
    enum Route {
        CALL,
        REPLY,
        ERROR,
        OPTIONAL,
        DROP
    }

    private DirectionClassifier() {}

    /**
     * @param rpcOffset where the RPC message, if there is one, begins in {@code message}
     * @param rpcLength its octets
     */
    static Route route(TransportHeader header, ByteBuffer message, int rpcOffset, int rpcLength) {
        return switch (header.type()) {
            case MSG, MSGP -> routeInline(header.direction(), message, rpcOffset, rpcLength);
            case NOMSG -> routeLong(header);
            case ERROR -> Route.ERROR;
            case OPTIONAL -> Route.OPTIONAL;
            case DONE -> Route.DROP;
        };
    }

    private static Route routeInline(Direction direction, ByteBuffer message, int rpcOffset, int rpcLength) {
        if (rpcLength < MIN_REPLY) {
            return Route.DROP;
        }
        int type = message.getInt(rpcOffset + RpcMessages.TYPE_OFFSET);
        if (type == RpcMessages.CALL && direction != Direction.REPLY) {
            return rpcLength < MIN_CALL ? Route.DROP : Route.CALL;
        }
        return type == RpcMessages.REPLY && direction != Direction.CALL ? Route.REPLY : Route.DROP;
    }

    private static Route routeLong(TransportHeader header) {
        return switch (header.direction()) {
            case CALL -> Route.CALL;
            case REPLY -> Route.REPLY;
            case UNKNOWN -> {
                if (header.readList().size() > 0) {
                    yield Route.CALL;
                }
                yield header.hasReplyChunk() ? Route.REPLY : Route.DROP;
            }
        };
    }
}
