package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.SendPrecondition;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.util.Blocking;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The byte-range locks of one open file. All have one lock-owner and therefore one stateid. Locks that rest on a
 * delegation are local: the server does not know them. Thread safe.
 */
public final class HeldLocks implements SendPrecondition {
    /** The length of a range that reaches to the end of the file. */
    public static final long TO_END = -1;

    private final String path;

    @GuardedBy("this")
    private final Set<Range> held = new LinkedHashSet<>();

    /** The held ranges that the server does not know. */
    @GuardedBy("this")
    private final Set<Range> local = new LinkedHashSet<>();

    /** The held ranges that the server was asked to release. */
    @GuardedBy("this")
    private final Set<Range> releasing = new LinkedHashSet<>();

    /** The range that the server is being asked for, or null. */
    @GuardedBy("this")
    private Range asked;

    @GuardedBy("this")
    private StateId stateId;

    private volatile IOException lost;
    private volatile Runnable onLost = () -> {};

    /**
     * A locked range.
     *
     * @param length all ones to the end of the file
     */
    public record Range(long offset, long length, LockType type) {
        private boolean conflictsWith(Range that) {
            return (type.isWrite() || that.type.isWrite()) && overlaps(that);
        }

        boolean overlaps(Range that) {
            return reaches(that.offset) && that.reaches(offset);
        }

        /** Whether the range reaches that offset. */
        private boolean reaches(long place) {
            return length == TO_END || place < offset + length;
        }
    }

    HeldLocks(String path) {
        this.path = path;
    }

    /** The stateid of all the locks, or null before the first. */
    synchronized StateId stateId() {
        return stateId;
    }

    public synchronized void add(Range range, StateId newStateId) {
        hold(range);
        stateId = newStateId;
    }

    @GuardedBy("this")
    private void hold(Range range) {
        releasing.remove(range); // the server was asked in vain
        held.add(range);
    }

    public synchronized void remove(Range range, StateId newStateId) {
        held.remove(range);
        releasing.remove(range);
        stateId = newStateId;
    }

    /** The server is about to be asked to release a range. */
    public synchronized void releases(Range range) {
        releasing.add(range);
    }

    /** The server is asked for a range, or not any more: null. */
    public synchronized void asks(Range range) {
        asked = range;
    }

    /**
     * Whether a lock of another owner on that range would conflict with a held lock, or with one that is being asked
     * for.
     */
    synchronized boolean conflictsWith(Range range) {
        return held.stream().anyMatch(range::conflictsWith) || (asked != null && asked.conflictsWith(range));
    }

    synchronized void addLocal(Range range) {
        hold(range);
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

    public synchronized boolean holds(Range range) {
        return held.contains(range);
    }

    public synchronized List<Range> all() {
        return List.copyOf(held);
    }

    /** Sets the action for lost locks; it runs outside of the monitor. */
    public void onLost(Runnable action) {
        onLost = action;
    }

    /** All locks are lost. The file can be used no more, and the holders of the locks are told at once. */
    void lose(String why) {
        synchronized (this) {
            stateId = null;
            local.clear();
            if (held.isEmpty()) {
                return;
            }
            held.clear();
            releasing.clear();
            setLost(why);
        }
        onLost.run();
    }

    /** As {@link #lose}, of the local locks. */
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

    /** As {@link #lose}, where the server keeps its grants until the file is closed. */
    void loseKnown(String why) {
        synchronized (this) {
            local.clear();
            if (held.isEmpty()) {
                return;
            }
            held.clear();
            releasing.clear();
            setLost(why);
        }
        onLost.run();
    }

    private void setLost(String why) {
        lost = new NfsException(
                path, Status.NFS4ERR_RECLAIM_CONFLICT.name(), "a lock on it was lost, since " + why + ": open it anew");
    }

    /** Why the file can be used no more: a lock was lost; else null. */
    @Override
    public IOException lost() {
        return lost;
    }

    /**
     * Claims the locks after the server's restart. The server may have released some before, of which it could not tell
     * any more, and another client may hold these: they end with the restart. Blocks.
     *
     * @param keepLocal whether local locks stay local, as the delegation was granted again
     */
    void reclaim(CompoundCaller caller, Session session, OpenState state, boolean keepLocal) throws IOException {
        List<Range> ranges = new ArrayList<>();
        synchronized (this) {
            releasing.forEach(held::remove);
            releasing.clear();
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
            LockRequest.Outcome outcome = Blocking.await(caller.runtime(), caller.call(request, session));
            if (outcome.denied() != null) {
                throw LockRequest.denied();
            }
            synchronized (this) {
                stateId = outcome.stateId();
            }
        }
    }
}
