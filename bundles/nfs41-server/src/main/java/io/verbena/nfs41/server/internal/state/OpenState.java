package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.util.LinkedHashSet;
import java.util.Set;

/** An open: one for each open-owner and file. */
final class OpenState extends StateIdEntry {
    /** More than one user has opened it. */
    private static final long SEVERAL = -1;

    private final Opaque owner;
    private final Set<LockState> locks = new LinkedHashSet<>(1);
    private long uid;
    private int access;
    private int deny;

    OpenState(Client client, Opaque owner, int uid, Inode inode, long otherHigh, int otherLow, int access, int deny) {
        super(client, inode, otherHigh, otherLow);
        this.owner = owner;
        this.uid = Integer.toUnsignedLong(uid);
        this.access = access;
        this.deny = deny;
    }

    @Override
    StateKind kind() {
        return StateKind.OPENS;
    }

    @Override
    long octets() {
        return octets(owner);
    }

    /** What an open of that owner is charged with. */
    static long octets(Opaque owner) {
        return StateKind.OPENS.octets() + owner.length();
    }

    Opaque owner() {
        return owner;
    }

    int access() {
        return access;
    }

    int deny() {
        return deny;
    }

    /** A user has opened it again. */
    void openedBy(int user) {
        uid = uid == Integer.toUnsignedLong(user) ? uid : SEVERAL;
    }

    /** Whether that user, and nobody else, has opened it. */
    boolean isOpenedBy(int user) {
        return uid == Integer.toUnsignedLong(user);
    }

    void share(int newAccess, int newDeny) {
        access = newAccess;
        deny = newDeny;
    }

    /**
     * What the file is open for.
     *
     * @param uid the user who has opened it, or {@link #SEVERAL}
     */
    record Share(int seqid, long uid, int access, int deny) {}

    Share share() {
        return new Share(seqid(), uid, access, deny);
    }

    /** Takes back what has been opened since. */
    void back(Share before) {
        back(before.seqid);
        uid = before.uid;
        share(before.access, before.deny);
    }

    /** The locks that were taken by this open. */
    Set<LockState> locks() {
        return locks;
    }

    /** Whether this open keeps another one out, or is kept out by it (RFC 8881 section 9.7). */
    boolean excludes(int otherAccess, int otherDeny) {
        return (access & otherDeny) != 0 || (deny & otherAccess) != 0;
    }

    /** Whether nobody else can read the file undisturbed meanwhile. */
    boolean keepsReadDelegationsAway() {
        return (access & Open.SHARE_ACCESS_WRITE) != 0 || (deny & Open.SHARE_DENY_READ) != 0;
    }
}
