package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.server.internal.callback.BackChannel;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.RpcPeer;
import java.util.HashMap;
import java.util.Map;

/**
 * The connections that are bound to a session, and the channels that each serves (RFC 8881 sections 2.10.3 and 18.34).
 * SP4_NONE allows requests by any connection, so a connection that has only brought requests is not in here. Thread
 * safe.
 */
final class SessionConnections {
    /** The most connections that are recorded. */
    static final int MAX_BOUND = 32;

    private final BackChannel back;

    @GuardedBy("this")
    private final Map<RpcPeer, Direction> directions = new HashMap<>();

    SessionConnections(BackChannel back) {
        this.back = back;
    }

    /**
     * Binds a connection; {@link #ready} must follow after the reply.
     *
     * @throws NfsError {@code INVAL} if it is bound to other channels already, or cannot be bound to the back channel;
     *     {@code DELAY} if too many connections are bound to that
     */
    synchronized Direction bind(RpcPeer peer, Wish wish) throws NfsError {
        Direction direction = directions.get(peer);
        if (direction != null && direction != Direction.FORE && !back.uses(peer)) {
            direction = null; // it was bound to the back channel, but callbacks by it have failed
        }
        if (direction == null) {
            direction = grant(wish);
            note(peer, direction);
        } else if (!fits(direction, wish)) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        return direction;
    }

    @GuardedBy("this")
    private void note(RpcPeer peer, Direction direction) throws NfsError {
        if (directions.size() < MAX_BOUND || directions.containsKey(peer)) {
            directions.put(peer, direction);
        } else if (direction != Direction.FORE) {
            throw new NfsError(NFS4ERR_DELAY); // for the fore channel alone it need not be recorded
        }
    }

    /**
     * The client has the reply that tells the connection's channels. Callbacks may use the connection if it serves the
     * back channel.
     */
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
