package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A file that the server has delegated to this client (RFC 8881 section 10.4): until it goes back, opens that it covers
 * and, where it is for writing, locks need not be known to the server. Thread safe; its monitor may be held while that of
 * an open or of an open's locks is taken, never the other way round.
 */
final class Delegation {
    private enum Phase {
        HELD,
        /** On its way back: what rests on it is being made known to the server, and nothing new may rest on it. */
        RETURNING,
        GONE
    }

    /** What becomes of a lock. */
    enum LockAnswer {
        DONE,
        /** Another open of this client's is in the way. */
        DENIED,
        /** The server has to be asked. */
        ASK,
        /** The delegation is on its way back: to be asked again once it is gone: see {@link #returning}. */
        WAIT
    }

    private final FileHandle handle;
    private final String path;
    private final DelegatedAttributes attributes = new DelegatedAttributes();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // guarded by this
    private final Set<OpenState> opens = new LinkedHashSet<>();
    private StateId stateId;
    private boolean writing;
    private Phase phase = Phase.HELD;
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

    /** Whether the server wants it back already. */
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

    DelegatedAttributes attributes() {
        return attributes;
    }

    /** Its most recent instance, whatever that is. */
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

    /** Complete once it is gone; never fails. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Complete once it is gone, where it is on its way back. */
    synchronized CompletableFuture<Void> returning() {
        return phase == Phase.RETURNING ? ended : CompletableFuture.completedFuture(null);
    }

    /** Whether the file can be opened for that without the server. */
    synchronized boolean allows(int shareAccess) {
        return phase == Phase.HELD && (writing || shareAccess == Open.SHARE_ACCESS_READ);
    }

    /** Opens the file without the server, or not where that is not allowed any more. */
    synchronized boolean openLocally(OpenState state) {
        return allows(state.shareAccess()) && join(state);
    }

    /** The file has another open, be it known to the server or not; of one that is being closed nothing would come. */
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
     * @param trusted whether the server is sure to stand by the delegation still
     */
    synchronized LockAnswer lock(OpenState state, HeldLocks.Range range, boolean trusted) {
        LockAnswer answer = lockHere(state, range, trusted);
        state.locks().asks(answer == LockAnswer.ASK ? range : null);
        return answer;
    }

    private LockAnswer lockHere(OpenState state, HeldLocks.Range range, boolean trusted) {
        if (phase == Phase.RETURNING) {
            return LockAnswer.WAIT;
        }
        LockAnswer answer = test(state, range, trusted);
        // what the open is not for could not be made known; the server says it best
        int needed = range.type().isWrite() ? Open.SHARE_ACCESS_WRITE : Open.SHARE_ACCESS_READ;
        if (answer == LockAnswer.DONE && (state.shareAccess() & needed) == 0) {
            return LockAnswer.ASK;
        }
        if (answer == LockAnswer.DONE) {
            state.locks().addLocal(range);
        }
        return answer;
    }

    /** Whether {@link #lock} could be had. */
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

    /** Whether this call is the one that has to give it back. */
    synchronized boolean beginReturn() {
        boolean begun = phase == Phase.HELD;
        if (begun) {
            phase = Phase.RETURNING;
            attributes.forget();
        }
        return begun;
    }

    /** It is the client's no longer. Completes {@link #ended}, whose followers this call runs. */
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

    /** The {@code delegate_type} to claim after the server's restart. */
    synchronized int typeToClaim() {
        return phase == Phase.GONE ? OpenDelegation.NONE : writing ? OpenDelegation.WRITE : OpenDelegation.READ;
    }

    synchronized boolean isReclaimedBy(long clientId) {
        return phase != Phase.GONE && reclaimedBy == clientId;
    }

    /** Whether what was opened and locked by it before the server's restart can rest on it as it came back. */
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
