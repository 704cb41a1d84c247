package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_BADSESSION;
import static io.verbena.nfs41.Status.NFS4ERR_CONN_NOT_BOUND_TO_SESSION;

import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.server.internal.callback.BackChannel;
import io.verbena.nfs41.server.internal.callback.CallbackTarget;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.RpcPeer;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The sessions of all clients by their ids, and the connections that carry them (RFC 8881 section 2.10). Thread safe.
 * {@link ClientTable} alone adds and removes sessions, under its lock.
 */
public final class SessionTable {
    private final Duration lease;
    private final Executor later;
    private final RandomGenerator random;
    private final Map<SessionId, Session> sessions = new ConcurrentHashMap<>();

    /**
     * @param later executes, after a pause, a callback that the client was too busy for
     */
    SessionTable(Duration lease, Executor later, Runtime runtime) {
        this.lease = lease;
        this.later = later;
        this.random = runtime.random();
    }

    /** Makes a session of a random id, which {@link #get} does not find before {@link #add}. */
    Session make(
            Client client,
            CreateSession.Args args,
            ChannelAttributes fore,
            ChannelAttributes backLimits,
            SessionSlots replies) {
        SessionId id = new SessionId(random.nextLong(), random.nextLong());
        CallbackTarget target = CallbackTarget.of(args.callbackProgram(), args.callbackSecurity());
        BackChannel back = new BackChannel(id, target, backLimits, lease, client.callbacks(), later);
        return new Session(id, client, fore, replies, back);
    }

    void add(Session session) {
        sessions.put(session.id(), session);
    }

    void remove(Session session) {
        sessions.remove(session.id());
    }

    /** Removes the session with that cache: its CREATE_SESSION has failed. */
    void drop(SessionSlots replies) {
        sessions.values().removeIf(made -> made.keeps(replies));
    }

    /**
     * Binds the connection of a retried CREATE_SESSION. The retry may come by another connection, and the reply says
     * that this one serves the back channel.
     */
    void bindAgain(CreateSession.Result created, RpcPeer peer) throws NfsError {
        Session session = sessions.get(created.sessionId());
        if (session != null && (created.flags() & CreateSession.CONN_BACK_CHAN) != 0) {
            session.bind(peer, Wish.FORE_OR_BOTH);
        }
    }

    /** CREATE_SESSION has been answered: callbacks may use the connection. */
    public void ready(SessionId id, RpcPeer peer) {
        Session session = sessions.get(id);
        if (session != null) {
            session.ready(peer);
        }
    }

    /** A connection has gone. */
    public void disconnected(RpcPeer peer) {
        sessions.values().forEach(session -> session.drop(peer));
    }

    /**
     * The session of an id.
     *
     * @throws NfsError {@code BADSESSION}
     */
    private Session get(SessionId id) throws NfsError {
        Session session = sessions.get(id);
        if (session == null) {
            throw new NfsError(NFS4ERR_BADSESSION);
        }
        return session;
    }

    /**
     * The session of an id, for an operation of the principal that made it.
     *
     * @throws NfsError {@code BADSESSION} for an unknown session, and for that of another principal; {@code WRONG_CRED}
     *     where the operation requires the machine credential
     */
    Session get(SessionId id, int operation, Requester by) throws NfsError {
        Session session = get(id);
        session.client().requireMachine(operation, by);
        if (!session.client().principal().equals(by.principal())) {
            throw new NfsError(NFS4ERR_BADSESSION);
        }
        return session;
    }

    /**
     * The session of an id, for a BIND_CONN_TO_SESSION by that connection. The client's other requests may come from
     * its host from now on.
     *
     * @throws NfsError {@code BADSESSION} for an unknown session, and for that of another principal
     */
    public Session bindable(SessionId id, Requester by, RpcPeer peer) throws NfsError {
        Session session = get(id, Opcode.BIND_CONN_TO_SESSION, by);
        session.client().callsFrom(peer.remoteAddress());
        return session;
    }

    /**
     * The session of an id, for a request of any user by that connection. SP4_NONE has all users of a client share its
     * session, but only from hosts that the client's principal calls from.
     *
     * @throws NfsError {@code BADSESSION} for an unknown session, {@code CONN_NOT_BOUND_TO_SESSION} for a connection
     *     from another host: the client's principal binds it, and keeps its slots
     */
    public Session get(SessionId id, RpcPeer peer) throws NfsError {
        Session session = get(id);
        if (!session.isUsableBy(peer)) {
            throw new NfsError(NFS4ERR_CONN_NOT_BOUND_TO_SESSION);
        }
        return session;
    }

    public int count() {
        return sessions.size();
    }
}
