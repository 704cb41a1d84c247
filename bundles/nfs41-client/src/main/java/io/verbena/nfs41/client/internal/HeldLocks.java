package io.verbena.nfs41.client.internal;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The byte-range locks that one open file holds, all of one lock-owner and so of one stateid. Those that a delegation
 * granted are local: the server does not know them. Thread safe.
 */
final class HeldLocks {
    /** The length of what reaches to the end of the file. */
    static final long TO_END = -1;

    private final String path;
    private final List<Range> held = new ArrayList<>();
    /** Of those held, the ones that the server does not know. */
    private final List<Range> local = new ArrayList<>();
    /** What the server is being asked for, or null. */
    private Range asked;

    private StateId stateId;
    private volatile IOException lost;
    private volatile Runnable onLost = () -> {};

    /**
     * A locked range.
     *
     * @param length all ones to the end of the file
     */
    record Range(long offset, long length, LockType type) {
        private boolean conflictsWith(Range that) {
            return (type.isWrite() || that.type.isWrite()) && overlaps(that);
        }

        boolean overlaps(Range that) {
            return reaches(that.offset) && that.reaches(offset);
        }

        /** Whether it goes as far as there or farther. */
        private boolean reaches(long place) {
            return length == TO_END || place < offset + length;
        }
    }

    HeldLocks(String path) {
        this.path = path;
    }

    /** Of all the locks, or null before the first. */
    synchronized StateId stateId() {
        return stateId;
    }

    synchronized void add(Range range, StateId newStateId) {
        held.add(range);
        stateId = newStateId;
    }

    synchronized void remove(Range range, StateId newStateId) {
        held.remove(range);
        stateId = newStateId;
    }

    /** The server is asked for a range, or not any more: null. */
    synchronized void asks(Range range) {
        asked = range;
    }

    /** Whether somebody else's lock of that range would have to wait, also for one that is just being asked for. */
    synchronized boolean conflictsWith(Range range) {
        return held.stream().anyMatch(range::conflictsWith) || (asked != null && asked.conflictsWith(range));
    }

    synchronized void addLocal(Range range) {
        held.add(range);
        local.add(range);
    }

    synchronized void removeLocal(Range range) {
        held.remove(range);
        local.remove(range);
    }

    synchronized boolean isLocal(Range range) {
        return local.contains(range);
    }

    synchronized List<Range> local() {
        return List.copyOf(local);
    }

    /** The server has granted a range that was local. */
    synchronized void known(Range range, StateId newStateId) {
        local.remove(range);
        stateId = newStateId;
    }

    synchronized boolean holds(Range range) {
        return held.contains(range);
    }

    synchronized List<Range> all() {
        return List.copyOf(held);
    }

    /** What is done at once when locks were lost, outside of the monitor. */
    void onLost(Runnable action) {
        onLost = action;
    }

    /** The locks are gone; who relied on one must not go on as if it were there, and is told at once. */
    void lose(String why) {
        synchronized (this) {
            stateId = null;
            local.clear();
            if (held.isEmpty()) {
                return;
            }
            held.clear();
            setLost(why);
        }
        onLost.run();
    }

    /** As {@link #lose}, of those that the server does not know. */
    void loseLocal(String why) {
        synchronized (this) {
            if (local.isEmpty()) {
                return;
            }
            local.forEach(held::remove);
            local.clear();
            setLost(why);
        }
        onLost.run();
    }

    private void setLost(String why) {
        lost = new NfsException(
                path, Status.NFS4ERR_RECLAIM_CONFLICT.name(), "a lock on it was lost, since " + why + ": open it anew");
    }

    /** Why the file can be used no more, or null. */
    IOException lost() {
        return lost;
    }

    /**
     * Claims the locks after the server's restart. Blocks.
     *
     * @param keepLocal whether those that the server did not know need not be claimed, as the delegation came back
     */
    void reclaim(Requester requester, Session session, OpenState state, boolean keepLocal) throws IOException {
        List<Range> ranges = new ArrayList<>();
        synchronized (this) {
            ranges.addAll(held);
            if (keepLocal) {
                local.forEach(ranges::remove);
            } else {
                local.clear();
            }
            stateId = null;
        }
        for (Range range : ranges) {
            LockRequest request = new LockRequest(state, range, true);
            LockRequest.Outcome outcome = Blocking.await(requester.call(request, session));
            if (outcome.denied() != null) {
                throw LockRequest.denied();
            }
            synchronized (this) {
                stateId = outcome.stateId();
            }
        }
    }
}
