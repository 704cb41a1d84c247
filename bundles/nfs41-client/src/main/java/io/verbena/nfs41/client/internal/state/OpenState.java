package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.SendPrecondition;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The state of one open file: its file handle, and the stateids of the open and of its locks. An open that rests on a
 * delegation is local, without a stateid of its own, until it is made known to the server. {@link OpenRecovery} opens
 * the file again when the server has given up the state. Thread safe.
 */
public final class OpenState {
    private final OpenRecovery recovery;
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

    /** The client id for which the open was reclaimed last. */
    private volatile long reclaimedBy;

    private volatile boolean isRefused;

    private volatile Supplier<CompletableFuture<Void>> writeBack = () -> CompletableFuture.completedFuture(null);

    private volatile Supplier<CompletableFuture<Void>> whenClosed = () -> CompletableFuture.completedFuture(null);
    /** Whether the server keeps a removed file until this open is closed. False where that is unknown. */
    private volatile boolean preservesUnlinked;

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
        this.recovery = new OpenRecovery(this, caller, delegations);
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

    /** The delegation that a local open rests on; null for other opens. */
    Delegation basis() {
        return basis;
    }

    /** The server has answered an OPEN of this open, and gives it a stateid. */
    void opened(OpenByHandleRequest.Opened opened) {
        openStateId = opened.stateId();
        isRefused = false;
        opened(opened.flags());
    }

    boolean isReclaimedBy(long clientId) {
        return reclaimedBy == clientId;
    }

    void reclaimed(long clientId) {
        reclaimedBy = clientId;
    }

    /** The server has refused the claim of the open, and does not know it until it is opened anew. */
    void refused() {
        isRefused = true;
    }

    boolean isRefused() {
        return isRefused;
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
    public <T> CompletableFuture<T> call(CompoundRequest<T> request) {
        return recovery.call(request, locks);
    }

    /** As {@link #call(CompoundRequest)}, where the guard says what the request relies on. */
    public <T> CompletableFuture<T> call(CompoundRequest<T> request, SendPrecondition guard) {
        return recovery.call(request, guard);
    }

    /**
     * As {@link #call}, for a request that relies on no lock: the file has to be closed even after the loss of a lock.
     */
    public <T> CompletableFuture<T> callWithoutLocks(CompoundRequest<T> request) {
        return recovery.call(request, null);
    }

    /** See {@link OpenRecovery#reopen}. */
    CompletableFuture<Void> reopen(StateId givenUp) {
        return recovery.reopen(givenUp);
    }

    /** Makes a local open known to the server, before its delegation is returned. */
    public CompletableFuture<Void> makeKnown() {
        return recovery.makeKnown();
    }

    /** Closes the file, by that request unless the server does not know the open. */
    public CompletableFuture<Void> close(CompoundRequest<Void> request) {
        return recovery.close(request).handle((done, thrown) -> thrown).thenCompose(thrown -> whenClosed
                .get()
                .thenCompose(done -> thrown == null
                        ? CompletableFuture.<Void>completedFuture(null)
                        : CompletableFuture.failedFuture(thrown)));
    }

    /** Whether the open is closed or being closed, so that no state may be added to it. */
    boolean isClosed() {
        return recovery.isClosed();
    }
}
