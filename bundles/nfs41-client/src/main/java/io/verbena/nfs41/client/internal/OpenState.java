package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A file that is open on the server: its handle, and the stateids that stand for the open and its locks. When the server
 * gives them up, the file is opened anew by its handle.
 */
final class OpenState {
    private static final int MAX_REOPENS = 2;

    private final Requester requester;
    private final FileHandle handle;
    private final Opaque owner;
    private final int shareAccess;
    private final String path;
    private final HeldLocks locks;
    private volatile StateId openStateId;
    private volatile long reclaimedBy;
    private CompletableFuture<Void> reopening;

    /**
     * @param path as {@code NAME:/path}
     */
    OpenState(Requester requester, FileHandle handle, Opaque owner, int shareAccess, StateId openStateId, String path) {
        this.requester = requester;
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

    HeldLocks locks() {
        return locks;
    }

    StateId openStateId() {
        return openStateId;
    }

    /** The stateid of READ, WRITE and SETATTR: the locks' where there are any, its present instance. */
    StateId ioStateId() {
        StateId lock = locks.stateId();
        return (lock == null ? openStateId : lock).withoutSeqid();
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
        Throwable shown = Errors.of(path, thrown);
        Blocking.completing(() -> result.completeExceptionally(shown));
    }

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
     */
    synchronized CompletableFuture<Void> reopen(StateId givenUp) {
        if (reopening != null) {
            return reopening;
        }
        if (!givenUp.isSameState(openStateId)) {
            return CompletableFuture.completedFuture(null);
        }
        locks.lose("the server gave it up");
        CompletableFuture<Void> done = new CompletableFuture<>();
        reopening = done;
        OpenByHandle request = new OpenByHandle(this, new OpenClaim.ByHandle());
        Futures.whenDone(requester.call(request), (stateId, thrown) -> {
            synchronized (this) {
                reopening = null;
                if (thrown == null) {
                    openStateId = stateId;
                }
            }
            if (thrown == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(thrown);
            }
        });
        return done;
    }

    /**
     * The server has restarted: claims the open and its locks as they were, once for each client id. Blocks.
     *
     * @param clientId the new one
     */
    void reclaim(Session session, long clientId) throws IOException {
        if (reclaimedBy == clientId) {
            return; // in an earlier session of this client's, which was lost before all was done
        }
        OpenClaim claim = new OpenClaim.Previous(0);
        openStateId = Blocking.await(requester.call(new OpenByHandle(this, claim), session));
        locks.reclaim(requester, session, this);
        reclaimedBy = clientId;
    }

    /** OPEN of the handle, for the same access as before. */
    private static final class OpenByHandle extends Request<StateId> {
        private final OpenState state;
        private final OpenClaim claim;

        OpenByHandle(OpenState state, OpenClaim claim) {
            this.state = state;
            this.claim = claim;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle);
            Open.Args args = new Open.Args(
                    0,
                    state.shareAccess | Open.WANT_NO_DELEGATION,
                    Open.SHARE_DENY_NONE,
                    new StateOwner(0, state.owner),
                    new OpenHow.NoCreate(),
                    claim);
            Open.encodeArgs(operations.next(), args);
        }

        @Override
        StateId decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return Open.decodeResult(results.next(Opcode.OPEN)).stateId();
        }

        @Override
        boolean isCached() {
            return true;
        }
    }
}
