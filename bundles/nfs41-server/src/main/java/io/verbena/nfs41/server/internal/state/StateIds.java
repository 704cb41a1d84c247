package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_BAD_STATEID;
import static io.verbena.nfs41.Status.NFS4ERR_OLD_STATEID;

import io.verbena.nfs41.StateId;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.util.HashMap;
import java.util.Map;

/** Finds state by its stateid (RFC 8881 section 8.2). Guarded by the lock of {@link StateTable}. */
final class StateIds {
    private final long boot;
    private final Map<Long, StateIdEntry> states = new HashMap<>();
    private long counter;

    /** @param boot the number of this run, which is in stateids: those of earlier runs are stale */
    StateIds(int boot) {
        this.boot = boot;
    }

    /** A stateid that was never used before. */
    StateId next() {
        counter++;
        return new StateId(1, Integer.toUnsignedLong((int) boot) << 32 | counter >>> 32, (int) counter);
    }

    private static long key(StateId id) {
        return (id.otherHigh() & 0xffff_ffffL) << 32 | Integer.toUnsignedLong(id.otherLow());
    }

    int count() {
        return states.size();
    }

    void add(StateIdEntry state) {
        states.put(key(state.stateId()), state);
    }

    void remove(StateIdEntry state) {
        states.remove(key(state.stateId()));
    }

    /**
     * The state that a client's stateid names (RFC 8881 section 8.2.4).
     *
     * @param inode the file that it must be of; null means any
     */
    StateIdEntry find(Client client, StateId id, Inode inode) throws NfsError {
        boolean ours = id.otherHigh() >>> 32 == Integer.toUnsignedLong((int) boot);
        StateIdEntry state = ours ? states.get(key(id)) : null;
        if (state == null
                || state.client() != client
                || (inode != null && !state.inode().equals(inode))) {
            throw new NfsError(NFS4ERR_BAD_STATEID);
        }
        int behind = id.seqid() - state.seqid();
        if (id.seqid() != 0 && behind != 0) {
            throw new NfsError(behind > 0 ? NFS4ERR_BAD_STATEID : NFS4ERR_OLD_STATEID);
        }
        return state;
    }
}
