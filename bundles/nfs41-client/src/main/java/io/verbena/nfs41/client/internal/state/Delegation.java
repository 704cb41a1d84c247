package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A delegation of a file (RFC 8881 section 10.4). Until it is returned, the server need not know the opens that it
 * covers, nor, for a write delegation, their locks. Thread safe. Lock order: the monitor of the delegation before that
 * of an open or of its locks.
 */
public final class Delegation {
    private enum Phase {
        HELD,
        /**
         * Being returned: the server is told of the opens and locks that rest on it, and no new ones may rest on it.
         */
        RETURNING,
        GONE
    }

    /** The outcome of a request for a lock. */
    public enum LockAnswer {
        DONE,
        /** A lock of another open of this client conflicts. */
        DENIED,
        /** The server has to be asked. */
        ASK,
        /** The delegation is being returned: ask again once {@link #returning} completes. */
        WAIT
    }

    private final FileHandle handle;
    private final String path;
    private final DelegatedAttributes attributes = new DelegatedAttributes();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    @GuardedBy("this")
    private final Set<OpenState> opens = new LinkedHashSet<>();

    @GuardedBy("this")
    private StateId stateId;

    @GuardedBy("this")
    private boolean writing;

    @GuardedBy("this")
    private Phase phase = Phase.HELD;

    /** Whether the server may have taken it back already. */
    @GuardedBy("this")
    private boolean isGivenBack;

    @GuardedBy("this")
    private long reclaimedBy;

    /**
     * @param path that led to the file
     */
    Delegation(FileHandle handle, String path, OpenDelegation granted) {
        this.handle = handle;
        this.path = path;
        take(granted);
    }

    /** The stateid of what was granted, or null where nothing was. */
    static StateId stateIdOf(OpenDelegation granted) {
        if (granted instanceof OpenDelegation.ForReading read) {
            return read.stateId();
        }
        return granted instanceof OpenDelegation.ForWriting write ? write.stateId() : null;
    }

    /** Whether the server recalls the delegation with the grant. */
    static boolean isRecalled(OpenDelegation granted) {
        return (granted instanceof OpenDelegation.ForReading read && read.recall())
                || (granted instanceof OpenDelegation.ForWriting write && write.recall());
    }

    /** The same delegation was granted again, perhaps for more than before. */
    synchronized void take(OpenDelegation granted) {
        stateId = stateIdOf(granted);
        writing = granted instanceof OpenDelegation.ForWriting;
    }

    FileHandle handle() {
        return handle;
    }

    String path() {
        return path;
    }

    public DelegatedAttributes attributes() {
        return attributes;
    }

    /** Its stateid without a seqid, which stands for the most recent instance. */
    synchronized StateId stateId() {
        return stateId.withoutSeqid();
    }

    synchronized boolean isFor(StateId delegation) {
        return stateId.isSameState(delegation);
    }

    synchronized boolean isForWriting() {
        return writing;
    }

    synchronized boolean isHeld() {
        return phase == Phase.HELD;
    }

    synchronized boolean isGone() {
        return phase == Phase.GONE;
    }

    synchronized boolean isIdle() {
        return opens.isEmpty();
    }

    /** Completes once the delegation has ended; never fails. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Completes once the delegation has ended, where it is being returned. */
    synchronized CompletableFuture<Void> returning() {
        return phase == Phase.RETURNING ? ended : CompletableFuture.completedFuture(null);
    }

    /** Whether the file can be opened for that without the server. */
    synchronized boolean allows(int shareAccess) {
        return phase == Phase.HELD && (writing || shareAccess == Open.SHARE_ACCESS_READ);
    }

    /** Opens the file without the server; false where the delegation does not allow that any more. */
    synchronized boolean openLocally(OpenState state) {
        return allows(state.shareAccess()) && join(state);
    }

    /** The file has another open, known to the server or not. An open that is being closed is not added. */
    synchronized boolean join(OpenState state) {
        if (phase == Phase.GONE || state.isClosed()) {
            return false;
        }
        opens.add(state);
        state.covered(this);
        return true;
    }

    /**
     * An open was closed.
     *
     * @return whether there is none left
     */
    synchronized boolean leave(OpenState state) {
        opens.remove(state);
        return opens.isEmpty();
    }

    synchronized List<OpenState> opens() {
        return List.copyOf(opens);
    }

    /**
     * Locks a range without the server, or notes that the server is to be asked for it.
     *
     * @param trusted whether the delegation is certainly still valid on the server
     */
    synchronized LockAnswer lock(OpenState state, HeldLocks.Range range, boolean trusted) {
        LockAnswer answer = lockHere(state, range, trusted);
        state.locks().asks(answer == LockAnswer.ASK ? range : null);
        return answer;
    }

    @GuardedBy("this")
    private LockAnswer lockHere(OpenState state, HeldLocks.Range range, boolean trusted) {
        if (phase == Phase.RETURNING) {
            return LockAnswer.WAIT;
        }
        LockAnswer answer = test(state, range, trusted);
        // a lock for which the file is not open could not be made known later; the server refuses it by its own status
        int needed = range.type().isWrite() ? Open.SHARE_ACCESS_WRITE : Open.SHARE_ACCESS_READ;
        if (answer == LockAnswer.DONE && (state.shareAccess() & needed) == 0) {
            return LockAnswer.ASK;
        }
        if (answer == LockAnswer.DONE && state.isRefused()) {
            return LockAnswer.ASK; // the request opens the file anew, at which local locks count as lost
        }
        if (answer == LockAnswer.DONE) {
            state.locks().addLocal(range);
        }
        return answer;
    }

    /** Whether {@link #lock} would be granted. */
    synchronized LockAnswer test(OpenState state, HeldLocks.Range range, boolean trusted) {
        if (phase == Phase.GONE) {
            return LockAnswer.ASK;
        }
        for (OpenState other : opens) {
            if (other != state && other.locks().conflictsWith(range)) {
                return LockAnswer.DENIED;
            }
        }
        return phase == Phase.HELD && writing && trusted ? LockAnswer.DONE : LockAnswer.ASK;
    }

    /** Releases a range that may have been locked without the server. */
    synchronized LockAnswer unlock(OpenState state, HeldLocks.Range range) {
        if (!state.locks().isLocal(range)) {
            return LockAnswer.ASK;
        }
        if (phase == Phase.RETURNING) {
            return LockAnswer.WAIT;
        }
        state.locks().removeLocal(range);
        return LockAnswer.DONE;
    }

    /** Begins the return. True for the first caller, which has to make it. */
    synchronized boolean beginReturn() {
        boolean begun = phase == Phase.HELD;
        if (begun) {
            phase = Phase.RETURNING;
            attributes.forget();
        }
        return begun;
    }

    /** The delegation has ended. Completes {@link #ended}, and runs its continuations on this thread. */
    boolean end() {
        synchronized (this) {
            if (phase == Phase.GONE) {
                return false;
            }
            phase = Phase.GONE;
            attributes.forget();
        }
        ended.complete(null);
        return true;
    }

    /** The server is about to be told that it has the delegation back. */
    synchronized void giveBack() {
        isGivenBack = true;
    }

    /**
     * The {@code delegate_type} to claim after the server's restart: none where the server may have taken the
     * delegation back before, and another client may have opened the file.
     */
    synchronized int typeToClaim() {
        boolean isOver = phase == Phase.GONE || isGivenBack;
        return isOver ? OpenDelegation.NONE : writing ? OpenDelegation.WRITE : OpenDelegation.READ;
    }

    synchronized boolean isReclaimedBy(long clientId) {
        return phase != Phase.GONE && reclaimedBy == clientId;
    }

    /** Whether the opens and locks from before the server's restart can rest on the reclaimed delegation. */
    synchronized boolean carries(OpenState state) {
        return writing
                || (state.shareAccess() == Open.SHARE_ACCESS_READ
                        && state.locks().local().isEmpty());
    }

    /** The server has given it back after its restart. */
    synchronized void reclaimed(long clientId, OpenDelegation granted) {
        take(granted);
        reclaimedBy = clientId;
        attributes.forget();
    }
}
