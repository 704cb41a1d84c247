package io.verbena.nfs41.client.internal;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The byte-range locks that one open file holds, all of one lock-owner and so of one stateid. Thread safe. */
final class HeldLocks {
    private final String path;
    private final List<Range> held = new ArrayList<>();
    private StateId stateId;
    private volatile IOException lost;

    /**
     * A locked range.
     *
     * @param length all ones to the end of the file
     */
    record Range(long offset, long length, LockType type) {}

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

    synchronized boolean holds(Range range) {
        return held.contains(range);
    }

    synchronized List<Range> all() {
        return List.copyOf(held);
    }

    /** The locks are gone; who relied on one must not go on as if it were there. */
    synchronized void lose(String why) {
        stateId = null;
        if (!held.isEmpty()) {
            held.clear();
            lost = new NfsException(
                    path,
                    Status.NFS4ERR_RECLAIM_CONFLICT.name(),
                    "a lock on it was lost, since " + why + ": open it anew");
        }
    }

    /** Why the file can be used no more, or null. */
    IOException lost() {
        return lost;
    }

    /** Claims the locks after the server's restart. Blocks. */
    void reclaim(Requester requester, Session session, OpenState state) throws IOException {
        List<Range> ranges;
        synchronized (this) {
            ranges = List.copyOf(held);
            stateId = null;
        }
        for (Range range : ranges) {
            LockRequest request = new LockRequest(state, range, true);
            LockRequest.Outcome outcome = Blocking.await(requester.call(request, session));
            if (outcome.denied() != null) {
                throw new StatusException(Status.NFS4ERR_DENIED, Opcode.LOCK);
            }
            synchronized (this) {
                stateId = outcome.stateId();
            }
        }
    }
}
