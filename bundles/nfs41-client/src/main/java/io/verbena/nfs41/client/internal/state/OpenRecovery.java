package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.SendPrecondition;
import io.verbena.nfs41.client.internal.util.Futures;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The recovery of one open whose state the server has given up: the lease has expired (NFS4ERR_EXPIRED), or the state
 * is revoked or unknown (RFC 8881 sections 8.4.3 and 8.5). The file is opened again by its handle, and the request is
 * repeated. The opens of a server that restarts are reclaimed by {@link StateReclaim}. Thread safe.
 */
final class OpenRecovery {
    private static final int MAX_REOPENS = 2;

    private final OpenState state;
    private final CompoundCaller caller;
    private final Delegations delegations;

    @GuardedBy("this")
    private CompletableFuture<Void> reopening;

    @GuardedBy("this")
    private boolean closed; // or about to be: nothing is opened anew any more

    OpenRecovery(OpenState state, CompoundCaller caller, Delegations delegations) {
        this.state = state;
        this.caller = caller;
        this.delegations = delegations;
    }

    /**
     * Sends a request that uses the state. Where the server has given up the state, opens the file again and repeats
     * the request.
     *
     * @param guard what the request relies on; null where the loss of a lock does not matter
     */
    <T> CompletableFuture<T> call(CompoundRequest<T> request, SendPrecondition guard) {
        CompletableFuture<T> result = new CompletableFuture<>();
        call(request, result, 0, guard);
        return result;
    }

    private <T> void call(
            CompoundRequest<T> request, CompletableFuture<T> result, int reopens, SendPrecondition guard) {
        IOException lost = guard == null ? null : guard.lost();
        if (lost != null) {
            result.completeExceptionally(lost);
            return;
        }
        StateId used = state.openStateId();
        CompletableFuture<T> made = guard == null ? caller.call(request) : caller.call(request, guard);
        Futures.whenDone(made, result, (value, thrown) -> {
            if (thrown == null) {
                Futures.complete(result, value, null);
            } else if (isGivenUp(thrown) && caller.lifetime().isEnded() && isClosed()) {
                // the mount has closed the file, as it has waited long enough for this operation
                Futures.fail(result, caller.lifetime().refusal(false));
            } else if (reopens < MAX_REOPENS && isGivenUp(thrown)) {
                // what a closed open went by may be given up, and the delegation still be good for other opens
                if (used == null && !isClosed()) {
                    loseBasis(); // before the request is repeated: it must not rely on local locks any more
                }
                Futures.whenDone(reopen(used), result, (opened, failed) -> {
                    if (failed == null) {
                        call(request, result, reopens + 1, guard);
                    } else {
                        fail(result, failed);
                    }
                });
            } else {
                fail(result, thrown);
            }
        });
    }

    /** The server has given up the delegation that the local open rested on, also where it knows the open by now. */
    private void loseBasis() {
        Delegation basis = state.basis();
        if (basis != null) {
            delegations.lost(basis);
        }
    }

    private <T> void fail(CompletableFuture<T> result, Throwable thrown) {
        Futures.fail(result, Errors.described(state.path(), thrown));
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
        CompletableFuture<Void> done;
        synchronized (this) {
            if (reopening != null) {
                return reopening;
            }
            StateId present = state.openStateId();
            boolean another = present != null && (givenUp == null || !givenUp.isSameState(present));
            if (another || closed) {
                return CompletableFuture.completedFuture(null);
            }
            done = new CompletableFuture<>();
            reopening = done;
        }
        return opening(done, () -> {
            if (givenUp == null) {
                loseBasis();
            }
            state.locks().lose("the server gave it up");
            open(OpenClaim.ByHandle::new, null, done);
        });
    }

    /** Begins an OPEN. What the step throws ends it, so that a later request can open the file. */
    private CompletableFuture<Void> opening(CompletableFuture<Void> done, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            opened(null, e, done);
        }
        return done;
    }

    /** Makes a local open known to the server, before its delegation is returned. */
    CompletableFuture<Void> makeKnown() {
        CompletableFuture<Void> done;
        synchronized (this) {
            if (reopening != null) {
                return reopening;
            }
            if (state.openStateId() != null || closed) {
                return CompletableFuture.completedFuture(null);
            }
            done = new CompletableFuture<>();
            reopening = done;
        }
        return opening(done, () -> {
            Delegation by = state.basis();
            open(() -> new OpenClaim.DelegateCurrentByHandle(by.stateId()), by, done);
        });
    }

    /** @param by the delegation that the claim is based on, or null */
    private void open(Supplier<OpenClaim> claim, Delegation by, CompletableFuture<Void> done) {
        Futures.whenDoneElse(
                caller.call(new OpenByHandleRequest(state, claim)),
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
                state.opened(opened);
            }
        }
        if (thrown == null) {
            delegations.rejoin(state);
            done.complete(null);
        } else {
            done.completeExceptionally(Errors.described(state.path(), thrown));
        }
    }

    /** Closes the file, by that request unless the server does not know the open. */
    CompletableFuture<Void> close(CompoundRequest<Void> request) {
        CompletableFuture<Void> opening;
        StateId used;
        synchronized (this) {
            opening = reopening;
            used = state.openStateId();
            closed |= opening == null;
        }
        if (opening != null) {
            return opening.handle((done, thrown) -> null).thenCompose(done -> close(request));
        }
        return used == null
                ? CompletableFuture.completedFuture(null)
                : caller.call(request).exceptionallyCompose(thrown -> notClosed(used, Futures.unwrap(thrown)));
    }

    /**
     * CLOSE has failed. Where the server had given up the open already, only the revoked stateid is left to be freed.
     */
    private CompletableFuture<Void> notClosed(StateId used, Throwable thrown) {
        if (!isGivenUp(thrown)) {
            return CompletableFuture.failedFuture(Errors.described(state.path(), thrown));
        }
        return caller.call(new FreeStateIdRequest(used)).exceptionally(failed -> null);
    }

    /** Whether the open is closed or being closed. */
    synchronized boolean isClosed() {
        return closed;
    }
}
