package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.*;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.server.internal.budget.ClientAccount;
import io.verbena.nfs41.server.internal.budget.Principal;
import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.util.FailureLog;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.RpcPeer;
import io.verbena.runtime.Runtime;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clients of an export, their leases and their sessions (RFC 8881 sections 2.4 and 2.10). Thread safe. */
public final class ClientTable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientTable.class);

    private final ServerLimits limits;
    private final StateBudget budget;
    private final ClientStates states;
    private final GracePeriod gracePeriod;
    private final Runtime runtime;
    private final long leaseNanos;

    @GuardedBy("this")
    private final Map<Long, Client> byId = new HashMap<>();

    @GuardedBy("this")
    private final Map<Opaque, Client> confirmed = new HashMap<>();

    @GuardedBy("this")
    private final Map<Opaque, Client> unconfirmed = new HashMap<>();

    /** Ids of unconfirmed clients that the budget has ended to make room for clients of any export. */
    private final Queue<Long> ended = new ConcurrentLinkedQueue<>();

    private final SessionTable sessions;

    /**
     * @param budget the heap that clients' state may take
     * @param later executes, after a pause, a callback that the client was too busy for
     */
    public ClientTable(
            ServerLimits limits,
            StateBudget budget,
            ClientStates states,
            GracePeriod gracePeriod,
            Duration lease,
            Executor later,
            Runtime runtime) {
        this.limits = limits;
        this.budget = budget;
        this.states = states;
        this.gracePeriod = gracePeriod;
        this.sessions = new SessionTable(lease, later, runtime);
        this.leaseNanos = lease.toNanos();
        this.runtime = runtime;
    }

    /**
     * EXCHANGE_ID; the cases are those of RFC 8881 section 18.35.4.
     *
     * @param from the address that the request comes from
     * @throws NfsError {@code DELAY} if there are too many clients, all of them confirmed and within their leases;
     *     {@code WRONG_CRED} if the client's principal does not use its machine credential
     */
    public synchronized KnownClient exchangeId(ExchangeId.Args args, Requester by, SocketAddress from) throws NfsError {
        Principal principal = by.principal();
        Client old = confirmed.get(args.ownerId());
        if (old != null && old.principal().equals(principal)) {
            old.requireMachine(Opcode.EXCHANGE_ID, by);
        }
        boolean update = (args.flags() & ExchangeId.UPD_CONFIRMED_REC_A) != 0;
        if (update) {
            return update(old, args, principal, from);
        }
        if (old != null && !old.principal().equals(principal)) {
            if (isInUse(old)) {
                throw new NfsError(NFS4ERR_CLID_INUSE); // case 3: collision
            }
            remove(old);
            old = null;
        }
        if (old != null && old.verifier() == args.verifier()) {
            old.callsFrom(from);
            return KnownClient.of(old); // case 2: the client asks again
        }
        // case 1: new owner; case 4: replaces an unconfirmed one; case 5: the client has restarted
        return KnownClient.of(addUnconfirmed(args, principal, from));
    }

    private static KnownClient update(Client old, ExchangeId.Args args, Principal principal, SocketAddress from)
            throws NfsError {
        if (old == null) {
            throw new NfsError(NFS4ERR_NOENT); // case 7
        }
        if (old.verifier() != args.verifier()) {
            throw new NfsError(NFS4ERR_NOT_SAME); // case 8
        }
        if (!old.principal().equals(principal)) {
            throw new NfsError(NFS4ERR_PERM); // case 9
        }
        old.callsFrom(from);
        return KnownClient.of(old); // case 6
    }

    /** A session counts as state here: another principal must not end the session of a client that opens nothing. */
    @GuardedBy("this")
    private boolean isInUse(Client client) {
        boolean holds = !client.sessions().isEmpty() || states.holdsState(client);
        return holds && !isExpired(client, runtime.nanoTime());
    }

    @GuardedBy("this")
    private Client addUnconfirmed(ExchangeId.Args args, Principal principal, SocketAddress from) throws NfsError {
        Client replaced = unconfirmed.get(args.ownerId());
        if (replaced != null) {
            forget(replaced);
        }
        long id = newId();
        long now = runtime.nanoTime();
        ClientAccount account = account(id, args.ownerId(), principal, from);
        try {
            Client client = new Client(
                    id, args.ownerId(), args.verifier(), principal, args.stateProtection(), account, from, now);
            unconfirmed.put(args.ownerId(), client);
            byId.put(id, client);
            return client;
        } catch (Throwable e) { // there is no memory: nobody else would end the account
            unconfirmed.remove(args.ownerId());
            byId.remove(id);
            account.close();
            account.give(StateKind.CLIENTS, Client.octets(args.ownerId()));
            throw e;
        }
    }

    /** A random id, which no other principal can guess. Ids of earlier runs are unknown, and so stale. */
    @GuardedBy("this")
    private long newId() {
        long id;
        do {
            id = runtime.random().nextLong();
        } while (id == 0 || byId.containsKey(id));
        return id;
    }

    /**
     * Opens an account for a further client and charges it. If there are too many clients and the budget has no
     * unconfirmed one to end, a client of this export whose lease has run out is ended.
     */
    @GuardedBy("this")
    private ClientAccount account(long id, Opaque ownerId, Principal principal, SocketAddress from) throws NfsError {
        ClientAccount account = budget.open(from, principal, () -> ended.add(id));
        while (account == null) {
            Predicate<ClientAccount> obstacles = budget.obstacles(from, principal);
            Client idle = obstacles == null ? null : idlest(obstacles);
            if (obstacles != null && idle == null) {
                throw new NfsError(NFS4ERR_DELAY);
            }
            if (idle != null) {
                remove(idle);
            }
            account = budget.open(from, principal, () -> ended.add(id));
        }
        boolean isCharged = false;
        try {
            forgetEnded();
            isCharged = account.take(StateKind.CLIENTS, Client.octets(ownerId));
        } finally {
            if (!isCharged) {
                account.close();
            }
        }
        if (!isCharged) {
            throw new NfsError(NFS4ERR_DELAY);
        }
        return account;
    }

    /** Forgets the clients that the budget has ended. */
    @GuardedBy("this")
    private void forgetEnded() {
        for (Long id = ended.poll(); id != null; id = ended.poll()) {
            Client client = byId.get(id);
            if (client != null) {
                forget(client);
            }
        }
    }

    /** The client that is ended to make room: of those whose leases have run out, the first; or null. */
    @GuardedBy("this")
    private Client idlest(Predicate<ClientAccount> obstacles) {
        long now = runtime.nanoTime();
        return byId.values().stream()
                .filter(client -> isExpired(client, now) && obstacles.test(client.account()))
                .max(Comparator.comparingLong(client -> now - client.renewedNanos()))
                .orElse(null);
    }

    /**
     * CREATE_SESSION (RFC 8881 section 18.36.4). Grants what the client's account allows: perhaps fewer slots, and
     * shorter replies in the cache, than the server's limits.
     *
     * @param peer the connection to bind; {@link SessionTable#ready} follows after the reply
     * @throws NfsError {@code CLID_INUSE} for another principal's client, {@code NOSPC} for too many sessions,
     *     {@code DELAY} if the client's account allows no further one now
     */
    public synchronized CreateSession.Result createSession(CreateSession.Args args, Requester by, RpcPeer peer)
            throws NfsError {
        forgetEnded();
        Client client = byId.get(args.clientId());
        if (client == null) {
            throw new NfsError(NFS4ERR_STALE_CLIENTID);
        }
        client.requireMachine(Opcode.CREATE_SESSION, by);
        if (!client.principal().equals(by.principal())) {
            throw new NfsError(NFS4ERR_CLID_INUSE); // before all else: a retry would tell the session
        }
        client.callsFrom(peer.remoteAddress());
        if (client.lastCreated() != null && args.sequenceId() == client.createSequenceId()) {
            sessions.bindAgain(client.lastCreated(), peer);
            return client.lastCreated();
        }
        if (args.sequenceId() != client.createSequenceId() + 1) {
            throw new NfsError(NFS4ERR_SEQ_MISORDERED);
        }
        if (client.sessions().size() >= limits.maxSessions()) {
            throw new NfsError(NFS4ERR_NOSPC);
        }
        ChannelAttributes fore =
                SessionSlots.fit(client.account(), limits.grant(args.foreChannel()), ServerLimits.LEAST_CACHED);
        SessionSlots replies = SessionSlots.open(client.account(), fore);
        if (replies == null) {
            throw new NfsError(NFS4ERR_DELAY);
        }
        try {
            return createSession(client, args, fore, replies, peer);
        } catch (Throwable e) {
            client.sessions().removeIf(made -> made.keeps(replies));
            sessions.drop(replies);
            replies.end();
            throw e;
        }
    }

    @GuardedBy("this")
    private CreateSession.Result createSession(
            Client client, CreateSession.Args args, ChannelAttributes fore, SessionSlots replies, RpcPeer peer)
            throws NfsError {
        ChannelAttributes backLimits = limits.grant(args.backChannel());
        Session session = sessions.make(client, args, fore, backLimits, replies);
        boolean wantsBack = (args.flags() & CreateSession.CONN_BACK_CHAN) != 0;
        Direction direction = session.bind(peer, wantsBack ? Wish.FORE_OR_BOTH : Wish.FORE);
        if (!client.account().confirm()) {
            throw new NfsError(NFS4ERR_STALE_CLIENTID); // the budget has just ended it to make room
        }
        confirm(client);
        client.renew(runtime.nanoTime());
        int flags = direction == Direction.BOTH ? CreateSession.CONN_BACK_CHAN : 0;
        CreateSession.Result result =
                new CreateSession.Result(session.id(), args.sequenceId(), flags, session.fore(), backLimits);
        client.sessions().add(session);
        sessions.add(session);
        client.callbacks().add(session.back()); // which the caller does not take back: nothing behind it fails
        client.created(result);
        return result;
    }

    @GuardedBy("this")
    private void confirm(Client client) {
        if (client.isConfirmed()) {
            return;
        }
        Client old = confirmed.get(client.ownerId());
        if (old != null) {
            drop(old);
        }
        unconfirmed.remove(client.ownerId());
        confirmed.put(client.ownerId(), client);
        client.confirm();
    }

    /** The sessions of all clients. */
    public SessionTable sessions() {
        return sessions;
    }

    /** Renews the lease of a session's client. */
    public void renew(Session session) {
        session.client().renew(runtime.nanoTime());
    }

    /** Renews the lease for a new request in a slot of a session. Returns what its reply tells of slots. */
    public SessionSlots.SlotNumbers entered(Session session, Slot slot, Sequence.Args args) {
        return session.entered(slot, args, runtime.nanoTime());
    }

    /**
     * DESTROY_SESSION. The client's opens, locks and delegations stay.
     *
     * @throws NfsError {@code BADSESSION} for an unknown session, and for that of another principal
     */
    public void destroySession(SessionId id, Requester by) throws NfsError {
        Session session;
        synchronized (this) {
            session = sessions.get(id, Opcode.DESTROY_SESSION, by);
            sessions.remove(session);
            session.client().sessions().remove(session);
        }
        session.end();
        session.client().callbacks().remove(session.back());
    }

    /**
     * DESTROY_CLIENTID (RFC 8881 section 18.50). Blocks until the client's record is gone from stable storage.
     *
     * @throws NfsError {@code STALE_CLIENTID} for an unknown client, and for that of another principal
     */
    public synchronized void destroyClient(long id, Requester by) throws NfsError {
        Client client = byId.get(id);
        if (client != null) {
            client.requireMachine(Opcode.DESTROY_CLIENTID, by);
        }
        if (client == null || !client.principal().equals(by.principal())) {
            throw new NfsError(NFS4ERR_STALE_CLIENTID);
        }
        if (!client.sessions().isEmpty() || states.holdsState(client)) {
            throw new NfsError(NFS4ERR_CLIENTID_BUSY);
        }
        remove(client);
    }

    /**
     * RECLAIM_COMPLETE for all file systems (RFC 8881 section 18.51). Blocks until the client's record is on stable
     * storage: without it, files that the client opens from now on could not be reclaimed.
     *
     * @throws NfsError {@code DELAY} if the record cannot be written, {@code WRONG_CRED} for another principal's
     *     client, {@code DEADSESSION} for a client that has gone meanwhile
     */
    public void reclaimComplete(Client client, Principal principal) throws NfsError {
        client.require(principal);
        synchronized (client) {
            if (client.isReclaimComplete()) {
                throw new NfsError(NFS4ERR_COMPLETE_ALREADY);
            }
            gracePeriod.reclaimComplete(client.ownerId());
            client.completeReclaim();
        }
        requirePresent(client);
    }

    /** Takes a client off the record that has gone before it was entered: nobody else would do that. */
    private synchronized void requirePresent(Client client) throws NfsError {
        if (byId.get(client.id()) == client) {
            return; // from here on, whoever removes it takes it off the record
        }
        if (!confirmed.containsKey(client.ownerId())) {
            gracePeriod.gone(List.of(client.ownerId()));
        }
        throw new NfsError(NFS4ERR_DEADSESSION);
    }

    /**
     * Ends clients whose leases have run out; called periodically. If the record cannot be written, they keep their
     * state. Blocks.
     */
    public synchronized int expire() {
        forgetEnded();
        long now = runtime.nanoTime();
        List<Client> expired =
                byId.values().stream().filter(each -> isExpired(each, now)).toList();
        List<Client> forgotten = expired;
        try {
            // off the record first: another client must not get their locks while a restart would let them reclaim
            // these
            gracePeriod.gone(expired.stream()
                    .filter(Client::isConfirmed)
                    .map(Client::ownerId)
                    .toList());
        } catch (NfsError e) {
            LOG.debug("Clients whose leases have run out cannot be ended yet");
            forgotten = expired.stream().filter(each -> !each.isConfirmed()).toList();
        }
        return forgetAll(forgotten);
    }

    /** One that cannot be ended keeps none of the others back. Returns how many have ended. */
    @GuardedBy("this")
    private int forgetAll(List<Client> all) {
        int gone = 0;
        for (Client each : all) {
            try {
                forget(each);
                gone++;
            } catch (Throwable e) {
                FailureLog.error(LOG, "A client cannot be ended; the next periodic run tries again", e);
            }
        }
        return gone;
    }

    /**
     * A lease does not run out while a request of the client is executed (RFC 8881 section 8.3). Called under the
     * monitor.
     */
    private boolean isExpired(Client client, long now) {
        // in this order: the reply renews the lease before the request counts as answered
        return client.sessions().stream().noneMatch(Session::isExecuting) && now - client.renewedNanos() > leaseNanos;
    }

    /** @throws NfsError {@code DELAY} if the client cannot be taken off the record: nothing has changed */
    @GuardedBy("this")
    private void remove(Client client) throws NfsError {
        if (client.isConfirmed()) {
            gracePeriod.gone(List.of(client.ownerId()));
        }
        forget(client);
    }

    @GuardedBy("this")
    private void forget(Client client) {
        drop(client);
        confirmed.remove(client.ownerId(), client);
        unconfirmed.remove(client.ownerId(), client);
    }

    /** Ends a client's sessions and state. Where that fails, {@link #expire} finds the client again, and goes on. */
    @GuardedBy("this")
    private void drop(Client client) {
        client.account().close(); // a request in progress adds no more state
        for (Iterator<Session> each = client.sessions().iterator(); each.hasNext(); ) {
            Session session = each.next();
            sessions.remove(session);
            session.end();
            each.remove();
        }
        client.callbacks().close();
        states.dropAll(client);
        byId.remove(client.id());
        client.account().give(StateKind.CLIENTS, Client.octets(client.ownerId()));
    }

    /** Ends all clients when the server ends, and returns their shares to the budget of all exports. */
    public synchronized void close() {
        int unused = forgetAll(List.copyOf(byId.values()));
    }

    public synchronized int clientCount() {
        return confirmed.size();
    }
}
