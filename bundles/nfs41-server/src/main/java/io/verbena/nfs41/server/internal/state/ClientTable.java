package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.*;

import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import io.verbena.rpc.RpcPeer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clients, their leases and their sessions (RFC 8881 sections 2.4 and 2.10). Thread safe. */
public final class ClientTable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientTable.class);

    private final ServerLimits limits;
    private final StateTable states;
    private final Recovery recovery;
    private final LongSupplier nanoClock;
    private final Executor later;
    private final Duration lease;
    private final long leaseNanos;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, Client> byId = new HashMap<>();
    private final Map<Opaque, Client> confirmed = new HashMap<>();
    private final Map<Opaque, Client> unconfirmed = new HashMap<>();
    private final Map<SessionId, Session> sessions = new ConcurrentHashMap<>();
    private final long boot;
    private int counter;

    /**
     * @param boot a number of this run: client ids of earlier ones are not taken for ours
     * @param later does after a pause what a client was too busy for when it was called back
     */
    public ClientTable(
            int boot,
            ServerLimits limits,
            StateTable states,
            Recovery recovery,
            Duration lease,
            LongSupplier nanoClock,
            Executor later) {
        this.boot = boot;
        this.limits = limits;
        this.states = states;
        this.recovery = recovery;
        this.lease = lease;
        this.leaseNanos = lease.toNanos();
        this.nanoClock = nanoClock;
        this.later = later;
    }

    /**
     * What EXCHANGE_ID tells of a client.
     *
     * @param sequenceId for its next CREATE_SESSION
     */
    public record Known(long clientId, int sequenceId, boolean isConfirmed) {}

    /** EXCHANGE_ID; the cases are those of RFC 8881 section 18.35.4. */
    public synchronized Known exchangeId(ExchangeId.Args args, Principal principal) throws NfsError {
        Client old = confirmed.get(args.ownerId());
        boolean update = (args.flags() & ExchangeId.UPD_CONFIRMED_REC_A) != 0;
        if (update) {
            return update(old, args, principal);
        }
        if (old != null && !old.principal().equals(principal)) {
            if (isInUse(old)) {
                throw new NfsError(NFS4ERR_CLID_INUSE); // case 3: collision
            }
            remove(old);
            old = null;
        }
        if (old != null && old.verifier() == args.verifier()) {
            return known(old); // case 2: the client asks again
        }
        // case 1: new owner; case 4: replaces an unconfirmed one; case 5: the client has restarted
        return known(addUnconfirmed(args, principal));
    }

    private static Known update(Client old, ExchangeId.Args args, Principal principal) throws NfsError {
        if (old == null) {
            throw new NfsError(NFS4ERR_NOENT); // case 7
        }
        if (old.verifier() != args.verifier()) {
            throw new NfsError(NFS4ERR_NOT_SAME); // case 8
        }
        if (!old.principal().equals(principal)) {
            throw new NfsError(NFS4ERR_PERM); // case 9
        }
        return known(old); // case 6
    }

    private static Known known(Client client) {
        return new Known(client.id(), client.createSequenceId() + 1, client.isConfirmed());
    }

    private boolean isInUse(Client client) {
        return states.holdsState(client) && !isExpired(client, nanoClock.getAsLong());
    }

    private Client addUnconfirmed(ExchangeId.Args args, Principal principal) throws NfsError {
        Client replaced = unconfirmed.remove(args.ownerId());
        if (replaced != null) {
            byId.remove(replaced.id());
        }
        if (byId.size() >= limits.maxClients()) {
            throw new NfsError(NFS4ERR_DELAY);
        }
        long id = boot << 32 | Integer.toUnsignedLong(++counter);
        Client client = new Client(id, args.ownerId(), args.verifier(), principal, nanoClock.getAsLong());
        unconfirmed.put(args.ownerId(), client);
        byId.put(id, client);
        return client;
    }

    /**
     * CREATE_SESSION (RFC 8881 section 18.36.4).
     *
     * @param peer the connection, which is bound to the session; {@link #ready} follows when it has been answered
     */
    public synchronized CreateSession.Result createSession(CreateSession.Args args, Principal principal, RpcPeer peer)
            throws NfsError {
        Client client = byId.get(args.clientId());
        if (client == null) {
            throw new NfsError(NFS4ERR_STALE_CLIENTID);
        }
        if (client.lastCreated() != null && args.sequenceId() == client.createSequenceId()) {
            bindAgain(client.lastCreated(), peer);
            return client.lastCreated();
        }
        if (args.sequenceId() != client.createSequenceId() + 1) {
            throw new NfsError(NFS4ERR_SEQ_MISORDERED);
        }
        if (!client.isConfirmed() && !client.principal().equals(principal)) {
            throw new NfsError(NFS4ERR_CLID_INUSE);
        }
        if (client.sessions().size() >= limits.maxSessions()) {
            throw new NfsError(NFS4ERR_NOSPC);
        }
        SessionId id = new SessionId(random.nextLong(), random.nextLong());
        ChannelAttributes backLimits = limits.grant(args.backChannel());
        CallbackTarget target = CallbackTarget.of(args.callbackProgram(), args.callbackSecurity());
        BackChannel back = new BackChannel(id, target, backLimits, lease, client.callbacks(), later);
        Session session = new Session(id, client, limits.grant(args.foreChannel()), back);
        confirm(client);
        client.sessions().add(session);
        client.callbacks().add(back);
        client.renew(nanoClock.getAsLong());
        sessions.put(id, session);
        boolean wantsBack = (args.flags() & CreateSession.CONN_BACK_CHAN) != 0;
        Direction direction = session.bind(peer, wantsBack ? Wish.FORE_OR_BOTH : Wish.FORE);
        int flags = direction == Direction.BOTH ? CreateSession.CONN_BACK_CHAN : 0;
        CreateSession.Result result =
                new CreateSession.Result(id, args.sequenceId(), flags, session.fore(), backLimits);
        client.created(result);
        return result;
    }

    /** The reply is asked for again, maybe by another connection: what it says of the connection holds for that one. */
    private void bindAgain(CreateSession.Result created, RpcPeer peer) throws NfsError {
        Session session = sessions.get(created.sessionId());
        if (session != null && (created.flags() & CreateSession.CONN_BACK_CHAN) != 0) {
            session.bind(peer, Wish.FORE_OR_BOTH);
        }
    }

    /** CREATE_SESSION has been answered. */
    public void ready(SessionId id, RpcPeer peer) {
        Session session = sessions.get(id);
        if (session != null) {
            session.ready(peer);
        }
    }

    /** A connection has gone. */
    public void disconnected(RpcPeer peer) {
        sessions.values().forEach(session -> session.connections().drop(peer));
    }

    private void confirm(Client client) {
        if (client.isConfirmed()) {
            return;
        }
        unconfirmed.remove(client.ownerId());
        Client old = confirmed.get(client.ownerId());
        if (old != null) {
            drop(old);
        }
        confirmed.put(client.ownerId(), client);
        client.confirm();
    }

    /** The session of that number. */
    public Session session(SessionId id) throws NfsError {
        Session session = sessions.get(id);
        if (session == null) {
            throw new NfsError(NFS4ERR_BADSESSION);
        }
        return session;
    }

    /** Renews the lease of a session's client. */
    public void renew(Session session) {
        session.client().renew(nanoClock.getAsLong());
    }

    /** DESTROY_SESSION: the client's state stays. */
    public void destroySession(SessionId id) throws NfsError {
        Session session;
        synchronized (this) {
            session = session(id);
            sessions.remove(id);
            session.client().sessions().remove(session);
        }
        session.client().callbacks().remove(session.back());
    }

    /** DESTROY_CLIENTID (RFC 8881 section 18.50). Blocks until the client's record is gone from stable storage. */
    public synchronized void destroyClient(long id) throws NfsError {
        Client client = byId.get(id);
        if (client == null) {
            throw new NfsError(NFS4ERR_STALE_CLIENTID);
        }
        if (!client.sessions().isEmpty() || states.holdsState(client)) {
            throw new NfsError(NFS4ERR_CLIENTID_BUSY);
        }
        remove(client);
    }

    /**
     * RECLAIM_COMPLETE for all file systems (RFC 8881 section 18.51). Blocks until the client's record is on stable
     * storage: without it, what the client opens from now on could not be reclaimed.
     *
     * @throws NfsError {@code DELAY} where the record cannot be written
     */
    public void reclaimComplete(Client client) throws NfsError {
        synchronized (client) {
            if (client.isReclaimComplete()) {
                throw new NfsError(NFS4ERR_COMPLETE_ALREADY);
            }
            recovery.reclaimComplete(client.ownerId());
            client.completeReclaim();
        }
    }

    /**
     * Ends clients whose leases have run out; called now and then. Where their record cannot be written, they keep what
     * they hold. Blocks.
     */
    public synchronized int expire() {
        long now = nanoClock.getAsLong();
        List<Client> expired =
                byId.values().stream().filter(each -> isExpired(each, now)).toList();
        List<Client> forgotten = expired;
        try {
            // off the record first: nobody else may get their locks while a restart would let them reclaim these
            recovery.gone(expired.stream()
                    .filter(Client::isConfirmed)
                    .map(Client::ownerId)
                    .toList());
        } catch (NfsError e) {
            LOG.debug("Clients whose leases have run out cannot be ended yet");
            forgotten = expired.stream().filter(each -> !each.isConfirmed()).toList();
        }
        forgotten.forEach(this::forget);
        return forgotten.size();
    }

    private boolean isExpired(Client client, long now) {
        return now - client.renewedNanos() > leaseNanos;
    }

    /** @throws NfsError {@code DELAY} where the client cannot be taken off the record: nothing has changed */
    private void remove(Client client) throws NfsError {
        if (client.isConfirmed()) {
            recovery.gone(List.of(client.ownerId()));
        }
        forget(client);
    }

    private void forget(Client client) {
        drop(client);
        confirmed.remove(client.ownerId(), client);
        unconfirmed.remove(client.ownerId(), client);
    }

    /** Ends a client's sessions and state. */
    private void drop(Client client) {
        byId.remove(client.id());
        for (Iterator<Session> each = client.sessions().iterator(); each.hasNext(); ) {
            sessions.remove(each.next().id());
            each.remove();
        }
        client.callbacks().close();
        states.dropAll(client);
    }

    public synchronized int clientCount() {
        return confirmed.size();
    }

    public int sessionCount() {
        return sessions.size();
    }
}
