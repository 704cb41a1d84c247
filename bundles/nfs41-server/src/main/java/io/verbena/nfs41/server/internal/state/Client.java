package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.Opaque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A client's record (RFC 8881 section 2.4). Guarded by {@link ClientTable}'s lock where not said otherwise. */
public final class Client {
    private final long id;
    private final Opaque ownerId;
    private final long verifier;
    private final Principal principal;
    private final Set<Session> sessions = new HashSet<>();
    private final Set<StateEntry> states = new HashSet<>();
    private boolean confirmed;
    private int createSequenceId;
    private CreateSession.Result lastCreated;
    private final CallbackPath callbacks = new CallbackPath();
    private int delegations;
    private final AtomicInteger revoked = new AtomicInteger();
    private volatile boolean reclaimComplete;
    private volatile long renewedNanos;

    Client(long id, Opaque ownerId, long verifier, Principal principal, long nowNanos) {
        this.id = id;
        this.ownerId = ownerId;
        this.verifier = verifier;
        this.principal = principal;
        this.renewedNanos = nowNanos;
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

    Set<Session> sessions() {
        return sessions;
    }

    /** Its opens, locks and delegations; guarded by {@link StateTable}'s lock. */
    Set<StateEntry> states() {
        return states;
    }

    boolean isConfirmed() {
        return confirmed;
    }

    void confirm() {
        confirmed = true;
    }

    /** The number of the last CREATE_SESSION that was executed, 0 where none was. */
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

    /** The way to it. Any thread. */
    CallbackPath callbacks() {
        return callbacks;
    }

    /** How many delegations it holds; guarded by {@link StateTable}'s lock. */
    int delegations() {
        return delegations;
    }

    /** It holds more or fewer delegations; guarded by {@link StateTable}'s lock. */
    void delegations(int more) {
        delegations += more;
    }

    /** How many of its delegations were revoked of which it has not taken note by FREE_STATEID. Any thread. */
    int revoked() {
        return revoked.get();
    }

    void hasRevoked() {
        revoked.incrementAndGet();
    }

    void freedRevoked() {
        revoked.decrementAndGet();
    }
}
