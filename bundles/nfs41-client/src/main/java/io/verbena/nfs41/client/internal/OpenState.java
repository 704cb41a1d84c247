package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A file that is open: its handle, and the stateids that stand for the open and its locks. When the server gives them up,
 * the file is opened anew by its handle. An open that rests on a delegation is local, without a stateid of its own, until
 * it is made known to the server.
 */
final class OpenState {
    private static final int MAX_REOPENS = 2;

    private final Requester requester;
    private final Delegations delegations;
    private final FileHandle handle;
    private final Opaque owner;
    private final int shareAccess;
    private final String path;
    private final HeldLocks locks;
    private volatile StateId openStateId;
    /** The file's, whatever this open rests on; null where there is none, and where there was one perhaps gone. */
    private volatile Delegation delegation;
    /** What a local open rests on. */
    private volatile Delegation basis;

    private volatile long reclaimedBy;
    private volatile Supplier<CompletableFuture<Void>> writeBack = () -> CompletableFuture.completedFuture(null);

    private volatile Supplier<CompletableFuture<Void>> whenClosed = () -> CompletableFuture.completedFuture(null);
    /** Whether the server keeps the file until this open is closed, be it removed. Unknown counts as not. */
    private volatile boolean preservesUnlinked;

    // guarded by this
    private CompletableFuture<Void> reopening;
    private boolean closed; // or about to be: nothing is opened anew any more

    /**
     * @param openStateId null where it rests on a delegation
     * @param path as {@code NAME:/path}
     */
    OpenState(
            Requester requester,
            Delegations delegations,
            FileHandle handle,
            Opaque owner,
            int shareAccess,
            StateId openStateId,
            String path) {
        this.requester = requester;
        this.delegations = delegations;
        this.handle = handle;
        this.owner = owner;
        this.shareAccess = shareAccess;
        this.openStateId = openStateId;
        this.path = path;
        this.locks = new HeldLocks(path);
    }

    FileHandle handle() {
        return handle;
    }

    String path() {
        return path;
    }

    /** Of both the open and its locks. */
    Opaque owner() {
        return owner;
    }

    int shareAccess() {
        return shareAccess;
    }

    HeldLocks locks() {
        return locks;
    }

    /** Null where the server does not know of the open. */
    StateId openStateId() {
        return openStateId;
    }

    /** The stateid of READ, WRITE and SETATTR: the locks' where there are any, its present instance. */
    StateId ioStateId() {
        StateId lock = locks.stateId();
        StateId open = openStateId;
        return lock != null ? lock.withoutSeqid() : open != null ? open.withoutSeqid() : basis.stateId();
    }

    /** What is to be done before a delegation of the file goes back. */
    void onRecall(Supplier<CompletableFuture<Void>> action) {
        writeBack = action;
    }

    CompletableFuture<Void> writeBack() {
        return writeBack.get();
    }

    /** What is done before the open counts as closed, and after the server has closed it; must not fail. */
    void whenClosed(Supplier<CompletableFuture<Void>> action) {
        whenClosed = action;
    }

    /**
     * The server has answered an OPEN of this.
     *
     * @param flags bits of {@code Open.RESULT_}
     */
    void opened(int flags) {
        preservesUnlinked = (flags & Open.RESULT_PRESERVE_UNLINKED) != 0;
    }

    /** Whether the server keeps the file until this is closed, though it is removed. */
    boolean preservesUnlinked() {
        return preservesUnlinked;
    }

    /** The file is delegated. Called under the delegation's monitor. */
    void covered(Delegation by) {
        delegation = by;
        if (openStateId == null && basis == null) {
            basis = by;
        }
    }

    /** Of the file, or null; perhaps gone already. */
    Delegation delegation() {
        return delegation;
    }

    /**
     * The client is about to change the file.
     *
     * @param end the offset behind the octets that are written, or {@link DelegatedAttributes#NO_DATA}
     * @return for {@link #endChange}
     */
    Delegation beginChange(long end) {
        Delegation present = delegation;
        if (present != null) {
            present.attributes().begin(end);
        }
        return present;
    }

    /** Data was written that is not on its way yet. */
    void wrote(long end) {
        Delegation present = delegation;
        if (present != null) {
            present.attributes().wrote(end);
        }
    }

    /** The change is done, to be called before anybody is told so. */
    void endChange(Delegation begun, boolean failed) {
        if (begun != null) {
            begun.attributes().end(failed);
        }
        Delegation present = delegation;
        if (present != null && present != begun) {
            present.attributes().unknown(); // granted while the change was on its way
        }
    }

    /**
     * Locks a range without the server, or notes that the server is to be asked: until {@link HeldLocks#asks} is told
     * otherwise, no delegation grants others a lock in its way.
     */
    Delegation.LockAnswer lockLocally(HeldLocks.Range range) {
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
                && by != delegation); // one that came before that did not know of it
        return answer;
    }

    Delegation.LockAnswer testLocally(HeldLocks.Range range) {
        Delegation by = delegation;
        return by == null ? Delegation.LockAnswer.ASK : by.test(this, range, delegations.areTrusted());
    }

    Delegation.LockAnswer unlockLocally(HeldLocks.Range range) {
        Delegation by = delegation;
        return by == null ? Delegation.LockAnswer.ASK : by.unlock(this, range);
    }

    /** Complete once a delegation that was on its way back is gone. */
    CompletableFuture<Void> recalled() {
        return delegation.returning();
    }

    /** Makes a request that uses this state; where the server has given it up, opens the file anew and repeats it. */
    <T> CompletableFuture<T> call(Request<T> request) {
        CompletableFuture<T> result = new CompletableFuture<>();
        call(request, result, 0, false);
        return result;
    }

    /** As {@link #call}, for what relies on no lock: the file has to be closed even where a lock of it was lost. */
    <T> CompletableFuture<T> callWithoutLocks(Request<T> request) {
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
        CompletableFuture<T> made = withoutLocks ? requester.call(request) : requester.call(request, locks);
        Futures.whenDone(made, (value, thrown) -> {
            if (thrown == null) {
                Blocking.completing(() -> result.complete(value));
            } else if (reopens < MAX_REOPENS && isGivenUp(thrown)) {
                Futures.whenDone(reopen(used), (opened, failed) -> {
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
        Throwable shown = Errors.told(path, thrown);
        Blocking.completing(() -> result.completeExceptionally(shown));
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
     * Opens the file by its handle (CLAIM_FH), once for all who find the same state given up. Locks do not come back
     * that way: others may have held them meanwhile.
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

    /** Makes an open that rests on a delegation known to the server, as before the delegation goes back. */
    CompletableFuture<Void> makeKnown() {
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

    /**
     * @param by the delegation that is the claim's right, or null
     */
    private void open(Supplier<OpenClaim> claim, Delegation by, CompletableFuture<Void> done) {
        Futures.whenDone(requester.call(new OpenByHandle(this, claim)), (opened, thrown) -> {
            if (by != null && isGivenUp(thrown)) {
                delegations.lost(by);
                open(OpenClaim.ByHandle::new, null, done);
                return;
            }
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
                done.completeExceptionally(Errors.told(path, thrown));
            }
        });
    }

    /** Closes the file: by that request, unless the server knows nothing of it. */
    CompletableFuture<Void> close(Request<Void> request) {
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
                : requester.call(request).exceptionallyCompose(thrown -> notClosed(used, Futures.unwrap(thrown)));
        return told.handle((done, thrown) -> thrown).thenCompose(thrown -> whenClosed
                .get()
                .thenCompose(done -> thrown == null
                        ? CompletableFuture.<Void>completedFuture(null)
                        : CompletableFuture.failedFuture(thrown)));
    }

    /** CLOSE failed, or the server had given up the open already: then nothing is left but to free what was revoked. */
    private CompletableFuture<Void> notClosed(StateId used, Throwable thrown) {
        if (!isGivenUp(thrown)) {
            return CompletableFuture.failedFuture(Errors.told(path, thrown));
        }
        return requester.call(new OpenStates.FreeRequest(used)).exceptionally(failed -> null);
    }

    /** Whether it is closed or is being closed, so that nothing may come to rest on it. */
    synchronized boolean isClosed() {
        return closed;
    }

    /**
     * The server has restarted: claims the open and its locks as they were, once for each client id, and with the first
     * open of a file the delegation of it, which may come back for less than it was for. Blocks.
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
            OpenByHandle request = new OpenByHandle(this, () -> new OpenClaim.Previous(type));
            OpenByHandle.Opened opened = Blocking.await(requester.call(request, session));
            openStateId = opened.stateId();
            opened(opened.flags());
            if (type != OpenDelegation.NONE) {
                back = delegations.reclaimed(held, clientId, opened.delegation());
            }
        }
        locks.reclaim(requester, session, this, back && held.isForWriting());
        reclaimedBy = clientId;
    }

    /**
     * The server would not have the claim: the file is opened anew when it is used next.
     *
     * @param why as it says
     */
    void notReclaimed(long clientId, Status why) {
        Delegation held = delegation;
        if (held != null && !held.isReclaimedBy(clientId)) {
            delegations.reclaimed(held, clientId, new OpenDelegation.None());
        }
        locks.lose("the server had forgotten this client and did not give it back (" + why + ")");
    }
}
