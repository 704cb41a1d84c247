package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.util.ArrayList;
import java.util.List;

/** An open: one for each open-owner and file. */
final class OpenState extends StateEntry {
    private final List<LockState> locks = new ArrayList<>(1);
    private int access;
    private int deny;

    OpenState(Client client, Opaque owner, Inode inode, long otherHigh, int otherLow, int access, int deny) {
        super(client, owner, inode, otherHigh, otherLow);
        this.access = access;
        this.deny = deny;
    }

    int access() {
        return access;
    }

    int deny() {
        return deny;
    }

    void share(int newAccess, int newDeny) {
        access = newAccess;
        deny = newDeny;
    }

    /** The locks that were taken by this open. */
    List<LockState> locks() {
        return locks;
    }

    /** Whether this open keeps another one out, or is kept out by it (RFC 8881 section 9.7). */
    boolean excludes(int otherAccess, int otherDeny) {
        return (access & otherDeny) != 0 || (deny & otherAccess) != 0;
    }
}
