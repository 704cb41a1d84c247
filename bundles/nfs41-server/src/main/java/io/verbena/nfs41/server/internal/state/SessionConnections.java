package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import io.verbena.rpc.RpcPeer;
import java.util.HashMap;
import java.util.Map;

/**
 * The connections that were bound to a session, and for what (RFC 8881 sections 2.10.3 and 18.34). Requests are taken by
 * any connection, which SP4_NONE allows, so those that merely brought some are not noted here. Thread safe.
 */
final class SessionConnections {
    private final BackChannel back;
    private final Map<RpcPeer, Direction> directions = new HashMap<>();

    SessionConnections(BackChannel back) {
        this.back = back;
    }

    /**
     * Binds a connection; {@link #ready} has to follow when the client has been told.
     *
     * @throws NfsError {@code INVAL} where it is bound otherwise already, or cannot be bound to the back channel
     */
    synchronized Direction bind(RpcPeer peer, Wish wish) throws NfsError {
        Direction direction = directions.get(peer);
        if (direction != null && direction != Direction.FORE && !back.uses(peer)) {
            direction = null; // it was, but callbacks did not get through
        }
        if (direction == null) {
            direction = grant(wish);
            directions.put(peer, direction);
        } else if (!fits(direction, wish)) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        return direction;
    }

    /** The client knows what its connection was bound for: callbacks may be made by it, where that was agreed on. */
    void ready(RpcPeer peer) {
        Direction direction;
        synchronized (this) {
            direction = directions.get(peer);
        }
        if (direction == Direction.BACK || direction == Direction.BOTH) {
            back.bind(peer);
        }
    }

    private Direction grant(Wish wish) throws NfsError {
        boolean hasBack = back.isUsable();
        if (!hasBack && (wish == Wish.BACK || wish == Wish.BACK_OR_BOTH)) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        return switch (wish) {
            case FORE -> Direction.FORE;
            case BACK -> Direction.BACK;
            case FORE_OR_BOTH, BACK_OR_BOTH -> hasBack ? Direction.BOTH : Direction.FORE;
        };
    }

    private static boolean fits(Direction direction, Wish wish) {
        return switch (wish) {
            case FORE -> direction == Direction.FORE;
            case BACK -> direction == Direction.BACK;
            case FORE_OR_BOTH -> direction != Direction.BACK;
            case BACK_OR_BOTH -> direction != Direction.FORE;
        };
    }

    /** A connection has gone. */
    void drop(RpcPeer peer) {
        synchronized (this) {
            directions.remove(peer);
        }
        back.unbind(peer);
    }
}
