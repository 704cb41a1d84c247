package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_BAD_STATEID;
import static io.verbena.nfs41.Status.NFS4ERR_OLD_STATEID;

import io.verbena.nfs41.StateId;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import java.util.HashMap;
import java.util.Map;

/** What stateids name (RFC 8881 section 8.2). Guarded by {@link StateTable}'s lock. */
final class StateIds {
    private final long boot;
    private final Map<Long, StateEntry> states = new HashMap<>();
    private long counter;

    /**
     * @param boot a number of this run: stateids of earlier ones are not taken for ours
     */
    StateIds(int boot) {
        this.boot = boot;
    }

    /** A stateid that nothing had before. */
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

    void add(StateEntry state) {
        states.put(key(state.stateId()), state);
    }

    void remove(StateEntry state) {
        states.remove(key(state.stateId()));
    }

    /**
     * The state that a client's stateid names (RFC 8881 section 8.2.4).
     *
     * @param inode the file that it must be of; null means any
     */
    StateEntry find(Client client, StateId id, Inode inode) throws NfsError {
        boolean ours = id.otherHigh() >>> 32 == Integer.toUnsignedLong((int) boot);
        StateEntry state = ours ? states.get(key(id)) : null;
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
