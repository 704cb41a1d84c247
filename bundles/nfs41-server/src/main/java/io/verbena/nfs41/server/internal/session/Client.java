package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_WRONG_CRED;

import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.server.internal.budget.ClientAccount;
import io.verbena.nfs41.server.internal.budget.PeerHost;
import io.verbena.nfs41.server.internal.budget.Principal;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.callback.CallbackPath;
import io.verbena.nfs41.server.internal.util.NfsError;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A client's record (RFC 8881 section 2.4). Guarded by the lock of {@link ClientTable}, except where stated. */
public final class Client {
    /** The most hosts that a client's sessions are used from; one host more, and the others have to call again. */
    private static final int MAX_HOSTS = 8;

    private final long id;
    private final Opaque ownerId;
    private final long verifier;
    private final Principal principal;
    private final StateProtection protection;
    private final ClientAccount account;
    private final Set<Session> sessions = new HashSet<>();
    private final Set<HeldState> states = new HashSet<>();
    private boolean confirmed;
    private int createSequenceId;
    private CreateSession.Result lastCreated;
    private final CallbackPath callbacks = new CallbackPath();
    private int delegations;
    private final AtomicInteger revoked = new AtomicInteger();
    private volatile boolean reclaimComplete;
    private volatile long renewedNanos;
    /** Not this object: its lock is held while the record of clients is written. */
    private final Object hostsLock = new Object();

    private volatile Set<Object> hosts;

    /**
     * @param protection what requires the machine credential of the principal
     * @param account the account, which is charged with the client already
     * @param from the address that the client's EXCHANGE_ID comes from
     */
    Client(
            long id,
            Opaque ownerId,
            long verifier,
            Principal principal,
            StateProtection protection,
            ClientAccount account,
            SocketAddress from,
            long nowNanos) {
        this.id = id;
        this.account = account;
        this.ownerId = ownerId;
        this.verifier = verifier;
        this.principal = principal;
        this.protection = protection;
        this.renewedNanos = nowNanos;
        this.hosts = Set.of(PeerHost.of(from));
    }

    public long id() {
        return id;
    }

    Opaque ownerId() {
        return ownerId;
    }

    long verifier() {
        return verifier;
    }

    Principal principal() {
        return principal;
    }

    /**
     * Requires that a request which changes the client itself comes from its principal.
     *
     * @throws NfsError {@code WRONG_CRED}
     */
    public void require(Principal caller) throws NfsError {
        if (!principal.equals(caller)) {
            throw new NfsError(NFS4ERR_WRONG_CRED);
        }
    }

    StateProtection protection() {
        return protection;
    }

    /**
     * Requires the machine credential for an operation, where the client has asked for that (RFC 8881 section 18.35.3).
     *
     * @param operation its number
     * @throws NfsError {@code WRONG_CRED} for another principal, and for a request without integrity
     */
    void requireMachine(int operation, Requester by) throws NfsError {
        if (protection.enforces(operation) && !(by.isProtected() && principal.equals(by.principal()))) {
            throw new NfsError(NFS4ERR_WRONG_CRED);
        }
    }

    /** The client's principal calls from that address: sessions of the client may be used from there. */
    void callsFrom(SocketAddress from) {
        Object host = PeerHost.of(from);
        synchronized (hostsLock) {
            if (!hosts.contains(host)) {
                Set<Object> more = new HashSet<>(hosts.size() < MAX_HOSTS ? hosts : Set.of());
                more.add(host);
                hosts = Set.copyOf(more);
            }
        }
    }

    /** Whether the client's principal has called from that host. Any thread. */
    boolean hasCalledFrom(SocketAddress from) {
        return hosts.contains(PeerHost.of(from));
    }

    /** The client's account. Any thread. */
    public ClientAccount account() {
        return account;
    }

    /**
     * The octets that a client takes without its state: its owner is in tables, and in the record of clients that may
     * reclaim.
     */
    static long octets(Opaque ownerId) {
        return StateKind.CLIENTS.octets() + 4L * ownerId.length();
    }

    Set<Session> sessions() {
        return sessions;
    }

    /** Its opens, locks and delegations; guarded by the lock of {@link ClientStates}. */
    public Set<HeldState> states() {
        return states;
    }

    boolean isConfirmed() {
        return confirmed;
    }

    void confirm() {
        confirmed = true;
    }

    /** The sequence id of the last CREATE_SESSION that was executed, 0 if none was. */
    int createSequenceId() {
        return createSequenceId;
    }

    CreateSession.Result lastCreated() {
        return lastCreated;
    }

    void created(CreateSession.Result result) {
        createSequenceId = result.sequenceId();
        lastCreated = result;
    }

    /** Whether RECLAIM_COMPLETE has been sent. Any thread. */
    public boolean isReclaimComplete() {
        return reclaimComplete;
    }

    void completeReclaim() {
        reclaimComplete = true;
    }

    /** Renews the lease. Any thread. */
    void renew(long nowNanos) {
        renewedNanos = nowNanos;
    }

    long renewedNanos() {
        return renewedNanos;
    }

    /** The way of callbacks to the client. Any thread. */
    public CallbackPath callbacks() {
        return callbacks;
    }

    /** How many delegations the client holds; guarded by the lock of {@link ClientStates}. */
    public int delegations() {
        return delegations;
    }

    /** Changes the number of delegations; guarded by the lock of {@link ClientStates}. */
    public void delegations(int more) {
        delegations += more;
    }

    /** How many of its delegations were revoked that it has not freed by FREE_STATEID. Any thread. */
    public int revoked() {
        return revoked.get();
    }

    public void hasRevoked() {
        revoked.incrementAndGet();
    }

    public void freedRevoked() {
        revoked.decrementAndGet();
    }
}
