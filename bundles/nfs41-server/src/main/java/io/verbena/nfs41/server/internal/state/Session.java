package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_BADSLOT;
import static io.verbena.nfs41.Status.NFS4ERR_BAD_HIGH_SLOT;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import io.verbena.rpc.RpcPeer;
import java.util.List;

/** A session: its client, its limits and its slots (RFC 8881 section 2.10). */
public final class Session {
    private final SessionId id;
    private final Client client;
    private final ChannelAttributes fore;
    private final BackChannel back;
    private final SessionConnections connections;
    private final Slot[] slots;

    Session(SessionId id, Client client, ChannelAttributes fore, BackChannel back) {
        this.id = id;
        this.client = client;
        this.fore = fore;
        this.back = back;
        this.connections = new SessionConnections(back);
        this.slots = new Slot[fore.maxRequests()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot();
        }
    }

    public SessionId id() {
        return id;
    }

    public Client client() {
        return client;
    }

    /** The limits of requests of the client. */
    public ChannelAttributes fore() {
        return fore;
    }

    BackChannel back() {
        return back;
    }

    SessionConnections connections() {
        return connections;
    }

    /**
     * BIND_CONN_TO_SESSION; {@link #ready} follows when it has been answered.
     *
     * @throws NfsError {@code INVAL} where the connection is bound otherwise already, or cannot be bound so
     */
    public Direction bind(RpcPeer peer, Wish wish) throws NfsError {
        return connections.bind(peer, wish);
    }

    /** The client has been told what a connection was bound for. Makes the callbacks that have waited for it. */
    public void ready(RpcPeer peer) {
        connections.ready(peer);
    }

    /**
     * BACKCHANNEL_CTL (RFC 8881 section 18.33).
     *
     * @throws NfsError {@code INVAL} where no credential that the client takes can be written
     */
    public void callBack(int program, List<CallbackSecurity> security) throws NfsError {
        CallbackTarget target = CallbackTarget.of(program, security);
        if (target.credential() == null) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        back.retarget(target);
    }

    /** What SEQUENCE tells of callbacks and revoked state: Sequence's status flags. */
    public int statusFlags() {
        int flags = client.revoked() > 0 ? Sequence.RECALLABLE_STATE_REVOKED : 0;
        if (back.isFaulty()) {
            flags |= Sequence.BACKCHANNEL_FAULT;
        } else if (back.wasUp() && !back.isUp()) {
            flags |= Sequence.CB_PATH_DOWN_SESSION;
        }
        return client.callbacks().isDown() ? flags | Sequence.CB_PATH_DOWN : flags;
    }

    public int highestSlot() {
        return slots.length - 1;
    }

    /** The slot of a SEQUENCE. */
    public Slot slot(int slotId, int highestSlotId) throws NfsError {
        if (slotId < 0 || slotId >= slots.length) {
            throw new NfsError(NFS4ERR_BADSLOT);
        }
        if (highestSlotId < 0 || highestSlotId >= slots.length) {
            throw new NfsError(NFS4ERR_BAD_HIGH_SLOT);
        }
        return slots[slotId];
    }
}
