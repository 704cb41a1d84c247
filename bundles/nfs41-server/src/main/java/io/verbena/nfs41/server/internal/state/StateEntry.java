package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.StateId;
import io.verbena.nfs41.server.internal.vfs.Inode;

/** What a stateid names: an open, an owner's locks in a file, or a delegation. Guarded by {@link StateTable}'s lock. */
public abstract sealed class StateEntry permits OpenState, LockState, Delegation {
    private final Client client;
    private final Inode inode;
    private final long otherHigh;
    private final int otherLow;
    private int seqid = 1;

    StateEntry(Client client, Inode inode, long otherHigh, int otherLow) {
        this.client = client;
        this.inode = inode;
        this.otherHigh = otherHigh;
        this.otherLow = otherLow;
    }

    Client client() {
        return client;
    }

    Inode inode() {
        return inode;
    }

    int seqid() {
        return seqid;
    }

    /** The stateid as it is now. */
    StateId stateId() {
        return new StateId(seqid, otherHigh, otherLow);
    }

    /** The state has changed: the stateid's next instance (0 is passed over, RFC 8881 section 8.2.2). */
    void bump() {
        seqid = seqid == -1 ? 1 : seqid + 1;
    }
}
