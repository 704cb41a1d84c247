package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.compound.Request;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.Futures;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The state of one open file: its file handle, and the stateids of the open and of its locks. When the server has given
 * up the state, the file is opened again by its handle. An open that rests on a delegation is local, without a stateid
 * of its own, until it is made known to the server. Thread safe.
 */
public final class OpenState {
    private static final int MAX_REOPENS = 2;

    private final CompoundCaller caller;
    private final Delegations delegations;
    private final FileHandle handle;
    private final Opaque owner;
    private final int shareAccess;
    private final String path;
    private final HeldLocks locks;
    private volatile StateId openStateId;
    /**
     * The delegation of the file, whether this open rests on it or not; null where there was none. It may have ended.
     */
    private volatile Delegation delegation;
    /** The delegation that a local open rests on. */
    private volatile Delegation basis;

    private volatile long reclaimedBy;
    private volatile Supplier<CompletableFuture<Void>> writeBack = () -> CompletableFuture.completedFuture(null);

    private volatile Supplier<CompletableFuture<Void>> whenClosed = () -> CompletableFuture.completedFuture(null);
    /** Whether the server keeps a removed file until this open is closed. False where that is unknown. */
    private volatile boolean preservesUnlinked;

    @GuardedBy("this")
    private CompletableFuture<Void> reopening;

    @GuardedBy("this")
    private boolean closed; // or about to be: nothing is opened anew any more

    /**
     * @param openStateId null where it rests on a delegation
     * @param path as {@code NAME:/path}
     */
    public OpenState(
            CompoundCaller caller,
            Delegations delegations,
            FileHandle handle,
            Opaque owner,
            int shareAccess,
            StateId openStateId,
            String path) {
        this.caller = caller;
        this.delegations = delegations;
        this.handle = handle;
        this.owner = owner;
        this.shareAccess = shareAccess;
        this.openStateId = openStateId;
        this.path = path;
        this.locks = new HeldLocks(path);
    }

    public FileHandle handle() {
        return handle;
    }

    public String path() {
        return path;
    }

    /** The owner of both the open and its locks. */
    public Opaque owner() {
        return owner;
    }

    int shareAccess() {
        return shareAccess;
    }

    public HeldLocks locks() {
        return locks;
    }

    /** The stateid of the open; null where the server does not know the open. */
    public StateId openStateId() {
        return openStateId;
    }

    /** The stateid of READ, WRITE and SETATTR: that of the locks where there are any; its most recent instance. */
    public StateId ioStateId() {
        StateId lock = locks.stateId();
        StateId open = openStateId;
        return lock != null ? lock.withoutSeqid() : open != null ? open.withoutSeqid() : basis.stateId();
    }

    /** Sets the action before a delegation of the file is returned. */
    public void onRecall(Supplier<CompletableFuture<Void>> action) {
        writeBack = action;
    }

    CompletableFuture<Void> writeBack() {
        return writeBack.get();
    }

    /** Sets the action after the server's CLOSE and before the open counts as closed; must not fail. */
    void whenClosed(Supplier<CompletableFuture<Void>> action) {
        whenClosed = action;
    }

    /**
     * The server has answered an OPEN of this open.
     *
     * @param flags bits of {@code Open.RESULT_}
     */
    public void opened(int flags) {
        preservesUnlinked = (flags & Open.RESULT_PRESERVE_UNLINKED) != 0;
    }

    /** Whether the server keeps a removed file until this open is closed. */
    public boolean preservesUnlinked() {
        return preservesUnlinked;
    }

    /** The file is delegated. Called under the delegation's monitor. */
    void covered(Delegation by) {
        delegation = by;
        if (openStateId == null && basis == null) {
            basis = by;
        }
    }

    /** The delegation of the file, or null. It may have ended. */
    public Delegation delegation() {
        return delegation;
    }

    /**
     * The client is about to change the file.
     *
     * @param end the offset behind the octets that are written, or {@link DelegatedAttributes#NO_DATA}
     * @return for {@link #endChange}
     */
    public Delegation beginChange(long end) {
        Delegation present = delegation;
        if (present != null) {
            present.attributes().begin(end);
        }
        return present;
    }

    /** Data was written that is not sent yet. */
    public void wrote(long end) {
        Delegation present = delegation;
        if (present != null) {
            present.attributes().wrote(end);
        }
    }

    /** The change has ended; called before anyone is told of the end. */
    public void endChange(Delegation begun, boolean failed) {
        if (begun != null) {
            begun.attributes().end(failed);
        }
        Delegation present = delegation;
        if (present != null && present != begun) {
            present.attributes().unknown(); // granted while the change was on its way
        }
    }

    /**
     * Locks a range without the server, or records that the server will be asked. Until {@link HeldLocks#asks} ends
     * that record, no delegation grants a conflicting lock.
     */
    public Delegation.LockAnswer lockLocally(HeldLocks.Range range) {
        Delegation by;
        Delegation.LockAnswer answer;
        do {
            by = delegation;
            if (by == null) {
                locks.asks(range);
                answer = Delegation.LockAnswer.ASK;
            } else {
                answer = by.lock(this, range, delegations.areTrusted());
            }
        } while (answer == Delegation.LockAnswer.ASK
                && by != delegation); // a delegation that was granted meanwhile does not know of the request
        return answer;
    }

    public Delegation.LockAnswer testLocally(HeldLocks.Range range) {
        Delegation by = delegation;
        return by == null ? Delegation.LockAnswer.ASK : by.test(this, range, delegations.areTrusted());
    }

    public Delegation.LockAnswer unlockLocally(HeldLocks.Range range) {
        Delegation by = delegation;
        return by == null ? Delegation.LockAnswer.ASK : by.unlock(this, range);
    }

    /** Completes once a delegation that is being returned has ended. */
    public CompletableFuture<Void> recalled() {
        return delegation.returning();
    }

    /**
     * Sends a request that uses this state. Where the server has given up the state, opens the file again and repeats
     * the request.
     */
    public <T> CompletableFuture<T> call(Request<T> request) {
        CompletableFuture<T> result = new CompletableFuture<>();
        call(request, result, 0, false);
        return result;
    }

    /**
     * As {@link #call}, for a request that relies on no lock: the file has to be closed even after the loss of a lock.
     */
    public <T> CompletableFuture<T> callWithoutLocks(Request<T> request) {
        CompletableFuture<T> result = new CompletableFuture<>();
        call(request, result, 0, true);
        return result;
    }

    private <T> void call(Request<T> request, CompletableFuture<T> result, int reopens, boolean withoutLocks) {
        IOException lost = withoutLocks ? null : locks.lost();
        if (lost != null) {
            result.completeExceptionally(lost);
            return;
        }
        StateId used = openStateId;
        CompletableFuture<T> made = withoutLocks ? caller.call(request) : caller.call(request, locks);
        Futures.whenDone(made, result, (value, thrown) -> {
            if (thrown == null) {
                Futures.complete(result, value, null);
            } else if (reopens < MAX_REOPENS && isGivenUp(thrown)) {
                Futures.whenDone(reopen(used), result, (opened, failed) -> {
                    if (failed == null) {
                        call(request, result, reopens + 1, withoutLocks);
                    } else {
                        fail(result, failed);
                    }
                });
            } else {
                fail(result, thrown);
            }
        });
    }

    private <T> void fail(CompletableFuture<T> result, Throwable thrown) {
        Futures.fail(result, Errors.described(path, thrown));
    }

    /** Whether the server says that it has no such state, or has revoked it. */
    private static boolean isGivenUp(Throwable thrown) {
        return thrown instanceof StatusException e
                && switch (e.status()) {
                    case NFS4ERR_BAD_STATEID,
                            NFS4ERR_STALE_STATEID,
                            NFS4ERR_OLD_STATEID,
                            NFS4ERR_EXPIRED,
                            NFS4ERR_ADMIN_REVOKED,
                            NFS4ERR_DELEG_REVOKED -> true;
                    default -> false;
                };
    }

    /**
     * Opens the file again by its handle (CLAIM_FH), once for all requests that find the same state given up. Locks are
     * lost: other clients may have held them meanwhile.
     *
     * @param givenUp null where the open was local
     */
    CompletableFuture<Void> reopen(StateId givenUp) {
        Delegation lost = givenUp == null ? basis : null;
        CompletableFuture<Void> done;
        synchronized (this) {
            if (reopening != null) {
                return reopening;
            }
            boolean another = openStateId != null && (givenUp == null || !givenUp.isSameState(openStateId));
            if (another || closed) {
                return CompletableFuture.completedFuture(null);
            }
            done = new CompletableFuture<>();
            reopening = done;
        }
        if (lost != null) {
            delegations.lost(lost);
        }
        locks.lose("the server gave it up");
        open(OpenClaim.ByHandle::new, null, done);
        return done;
    }

    /** Makes a local open known to the server, before its delegation is returned. */
    public CompletableFuture<Void> makeKnown() {
        CompletableFuture<Void> done;
        synchronized (this) {
            if (reopening != null) {
                return reopening;
            }
            if (openStateId != null || closed) {
                return CompletableFuture.completedFuture(null);
            }
            done = new CompletableFuture<>();
            reopening = done;
        }
        Delegation by = basis;
        open(() -> new OpenClaim.DelegateCurrentByHandle(by.stateId()), by, done);
        return done;
    }

    /** @param by the delegation that the claim is based on, or null */
    private void open(Supplier<OpenClaim> claim, Delegation by, CompletableFuture<Void> done) {
        Futures.whenDoneElse(
                caller.call(new OpenByHandleRequest(this, claim)),
                (opened, thrown) -> {
                    if (by != null && isGivenUp(thrown)) {
                        delegations.lost(by);
                        open(OpenClaim.ByHandle::new, null, done);
                    } else {
                        opened(opened, thrown, done);
                    }
                },
                thrown -> opened(null, thrown, done));
    }

    /** The OPEN by handle has ended. */
    private void opened(OpenByHandleRequest.Opened opened, Throwable thrown, CompletableFuture<Void> done) {
        synchronized (this) {
            reopening = null;
            if (thrown == null) {
                openStateId = opened.stateId();
                opened(opened.flags());
            }
        }
        if (thrown == null) {
            delegations.rejoin(this);
            done.complete(null);
        } else {
            done.completeExceptionally(Errors.described(path, thrown));
        }
    }

    /** Closes the file, by that request unless the server does not know the open. */
    public CompletableFuture<Void> close(Request<Void> request) {
        CompletableFuture<Void> opening;
        StateId used;
        synchronized (this) {
            opening = reopening;
            used = openStateId;
            closed |= opening == null;
        }
        if (opening != null) {
            return opening.handle((done, thrown) -> null).thenCompose(done -> close(request));
        }
        CompletableFuture<Void> told = used == null
                ? CompletableFuture.completedFuture(null)
                : caller.call(request).exceptionallyCompose(thrown -> notClosed(used, Futures.unwrap(thrown)));
        return told.handle((done, thrown) -> thrown).thenCompose(thrown -> whenClosed
                .get()
                .thenCompose(done -> thrown == null
                        ? CompletableFuture.<Void>completedFuture(null)
                        : CompletableFuture.failedFuture(thrown)));
    }

    /**
     * CLOSE has failed. Where the server had given up the open already, only the revoked stateid is left to be freed.
     */
    private CompletableFuture<Void> notClosed(StateId used, Throwable thrown) {
        if (!isGivenUp(thrown)) {
            return CompletableFuture.failedFuture(Errors.described(path, thrown));
        }
        return caller.call(new OpenStates.FreeRequest(used)).exceptionally(failed -> null);
    }

    /** Whether the open is closed or being closed, so that no state may be added to it. */
    synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Reclaims the open and its locks after a restart of the server, once for each client id. The first open of a file
     * also reclaims its delegation, which may be granted for less than before. Blocks.
     *
     * @param clientId the new one
     */
    void reclaim(Session session, long clientId) throws IOException {
        if (reclaimedBy == clientId || isClosed()) {
            return; // in an earlier session of this client's, which was lost before all was done
        }
        Delegation held = delegation;
        boolean back = held != null && held.isReclaimedBy(clientId);
        if (!back || openStateId != null || !held.carries(this)) {
            int type = back || held == null ? OpenDelegation.NONE : held.typeToClaim();
            OpenByHandleRequest request = new OpenByHandleRequest(this, () -> new OpenClaim.Previous(type));
            OpenByHandleRequest.Opened opened = Blocking.await(caller.runtime(), caller.call(request, session));
            openStateId = opened.stateId();
            opened(opened.flags());
            if (type != OpenDelegation.NONE) {
                back = delegations.reclaimed(held, clientId, opened.delegation());
            }
        }
        locks.reclaim(caller, session, this, back && held.isForWriting());
        reclaimedBy = clientId;
    }

    /**
     * The server has refused the reclaim: the file is opened again at its next use.
     *
     * @param why the status of the refusal
     */
    void notReclaimed(long clientId, Status why) {
        Delegation held = delegation;
        if (held != null && !held.isReclaimedBy(clientId)) {
            delegations.reclaimed(held, clientId, new OpenDelegation.None());
        }
        locks.lose("the server had forgotten this client and did not give it back (" + why + ")");
    }
}
