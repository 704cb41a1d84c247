package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.server.internal.callback.BackChannel;
import io.verbena.nfs41.server.internal.callback.CallbackTarget;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.RpcPeer;
import java.util.List;

/** A session: its client, limits, slots and channels (RFC 8881 section 2.10). Thread safe. */
public final class Session {
    private final SessionId id;
    private final Client client;
    private final ChannelAttributes fore;
    private final BackChannel back;
    private final SessionConnections connections;
    private final SessionSlots replies;
    /** The last connection that was found usable: most sessions have one. Null when the connection has gone. */
    private volatile RpcPeer usable;

    Session(SessionId id, Client client, ChannelAttributes fore, SessionSlots replies, BackChannel back) {
        this.id = id;
        this.client = client;
        this.fore = fore;
        this.back = back;
        this.connections = new SessionConnections(back);
        this.replies = replies;
    }

    public SessionId id() {
        return id;
    }

    public Client client() {
        return client;
    }

    /** The limits of the fore channel. */
    public ChannelAttributes fore() {
        return fore;
    }

    BackChannel back() {
        return back;
    }

    /**
     * BIND_CONN_TO_SESSION of the client's principal; {@link #ready} follows after the reply.
     *
     * @throws NfsError {@code INVAL} if the connection is bound to other channels already, or cannot be bound so
     */
    public Direction bind(RpcPeer peer, Wish wish) throws NfsError {
        return connections.bind(peer, wish);
    }

    /** Whether requests by that connection may use the session: the client's principal has called from its host. */
    boolean isUsableBy(RpcPeer peer) {
        if (peer == usable) {
            return true;
        }
        boolean isUsable = client.hasCalledFrom(peer.remoteAddress());
        if (isUsable) {
            usable = peer;
        }
        return isUsable;
    }

    /** A connection has gone. */
    void drop(RpcPeer peer) {
        connections.drop(peer);
        if (usable == peer) {
            usable = null;
        }
    }

    /** The client has the reply that tells the connection's channels. Sends the callbacks that have waited for it. */
    public void ready(RpcPeer peer) {
        connections.ready(peer);
    }

    /**
     * BACKCHANNEL_CTL (RFC 8881 section 18.33).
     *
     * @throws NfsError {@code INVAL} if the server can write none of the credentials that the client accepts
     */
    public void callBack(int program, List<CallbackSecurity> security) throws NfsError {
        CallbackTarget target = CallbackTarget.of(program, security);
        if (target.credential() == null) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        back.retarget(target);
    }

    /** The status flags of SEQUENCE about callbacks and revoked state. */
    public int statusFlags() {
        int flags = client.revoked() > 0 ? Sequence.RECALLABLE_STATE_REVOKED : 0;
        if (back.isFaulty()) {
            flags |= Sequence.BACKCHANNEL_FAULT;
        } else if (back.wasUp() && !back.isUp()) {
            flags |= Sequence.CB_PATH_DOWN_SESSION;
        }
        return client.callbacks().isDown() ? flags | Sequence.CB_PATH_DOWN : flags;
    }

    /**
     * The slot of a SEQUENCE.
     *
     * @throws NfsError {@code BADSLOT}, {@code BAD_HIGH_SLOT}
     */
    public Slot slot(int slotId, int highestSlotId) throws NfsError {
        return replies.slot(slotId, highestSlotId);
    }

    /**
     * Enters a new request in a slot. Returns the slot numbers of its reply.
     *
     * @param args of its SEQUENCE
     */
    public SessionSlots.SlotNumbers entered(Slot slot, Sequence.Args args, long nowNanos) {
        return replies.entered(slot, args.slotId(), args.highestSlotId(), nowNanos);
    }

    /** A request is answered: the client's lease runs from now on (RFC 8881 section 8.3). */
    public void answered(long nowNanos) {
        client.renew(nowNanos);
    }

    /** Whether a request is being executed. */
    boolean isExecuting() {
        return replies.isExecuting();
    }

    /** The slot numbers for the reply to a retry that was not cached. */
    public SessionSlots.SlotNumbers slots() {
        return replies.told();
    }

    /** Ends the session, and returns its charge to the client's account. */
    void end() {
        replies.end();
    }

    /** Whether this session has that cache. */
    boolean keeps(SessionSlots cache) {
        return replies == cache;
    }
}
