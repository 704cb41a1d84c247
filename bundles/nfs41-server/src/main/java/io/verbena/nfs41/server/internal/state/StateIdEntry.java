package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.StateId;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.session.HeldState;
import io.verbena.nfs41.server.internal.vfs.Inode;

/**
 * State that a stateid names: an open, an owner's locks in a file, or a delegation. Guarded by the lock of
 * {@link StateTable}.
 */
public abstract sealed class StateIdEntry implements HeldState permits OpenState, LockState, Delegation {
    private final Client client;
    private final Inode inode;
    private final long otherHigh;
    private final int otherLow;
    private int seqid = 1;

    StateIdEntry(Client client, Inode inode, long otherHigh, int otherLow) {
        this.client = client;
        this.inode = inode;
        this.otherHigh = otherHigh;
        this.otherLow = otherLow;
    }

    Client client() {
        return client;
    }

    /** The kind of state that the client's account is charged with. */
    abstract StateKind kind();

    /** Its charge in octets, without the parts that are charged apart. */
    abstract long octets();

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

    /** A change was taken back of which the client was not told: its stateid is the newest again. */
    void back(int before) {
        seqid = before;
    }
}
