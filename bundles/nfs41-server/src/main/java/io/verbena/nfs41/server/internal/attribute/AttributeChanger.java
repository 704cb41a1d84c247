package io.verbena.nfs41.server.internal.attribute;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_BADOWNER;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;
import static io.verbena.nfs41.Status.NFS4ERR_NOTSUPP;
import static io.verbena.nfs41.Status.NFS4ERR_PERM;

import io.verbena.dirfd.FileReference;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import java.io.IOException;

/** Changes modes, owners and times by descriptors of the objects. Thread safe. */
public final class AttributeChanger {
    private static final int SET_ID_BITS = 06000;
    private static final int SET_UID = 04000;
    private static final int GROUP_EXECUTE = 0010;

    /** The number that tells chown(2) to keep the owner; no user has it. */
    private static final int NOBODY_AT_ALL = -1;

    private final boolean mayChown;
    private final boolean setId;

    /**
     * @param mayChown whether this process may give files away; if so, the creating user owns new objects
     * @param setId whether all users may give their files set-id bits, and not root alone
     */
    public AttributeChanger(boolean mayChown, boolean setId) {
        this.mayChown = mayChown;
        this.setId = setId;
    }

    public boolean isRootProcess() {
        return mayChown;
    }

    /**
     * The part of a mode that a caller may give an object: without set-id bits, unless that is a directory, whose
     * set-group-id bit makes nobody another user. They are dropped, as chmod(2) drops a set-group-id bit of a foreign
     * group: what was asked for else is done. AUTH_SYS proves nobody, so a program with such a bit could be one that
     * its owner has never seen. Where this process is not root, all that it makes is its own user's, whoever asks.
     */
    public int permitted(int mode, UnixAttributes object, Caller caller) {
        boolean isRoot = caller.isRoot() && mayChown;
        return setId || isRoot || object.isDirectory() ? mode : mode & ~SET_ID_BITS;
    }

    /**
     * Gives a new object its owner and attributes, whoever made it.
     *
     * @param isPrivate whether it has the mode and owner that it was made with. Where not, its file system has none of
     *     their own, and what it does not take is left
     */
    public void initialize(FileReference object, UnixAttributes current, AttributeSettings settings, boolean isPrivate)
            throws IOException {
        AttributeSettings possible = mayChown ? settings : settings.withOwner(null, null);
        if (isPrivate) {
            apply(object, current, possible, new AttributeProgress());
            return;
        }
        // one by one; and no set-id bits, as the owner may not be the one that was asked for
        Integer mode = possible.mode() == null ? null : Integer.valueOf(possible.mode() & ~SET_ID_BITS);
        applyIfTaken(object, current, AttributeSettings.NONE.withOwner(possible.uid(), null));
        applyIfTaken(object, current, AttributeSettings.NONE.withOwner(null, possible.gid()));
        applyIfTaken(object, current, AttributeSettings.NONE.withMode(mode));
        applyTimes(object, possible, new AttributeProgress());
    }

    private void applyIfTaken(FileReference object, UnixAttributes current, AttributeSettings settings)
            throws IOException {
        try {
            apply(object, current, settings, new AttributeProgress());
        } catch (IOException e) {
            Status status = IoErrors.status(e);
            boolean isRefused = status == NFS4ERR_PERM || status == NFS4ERR_INVAL || status == NFS4ERR_NOTSUPP;
            if (e instanceof NfsError || !isRefused) {
                throw e;
            }
        }
    }

    /**
     * Changes an object's attributes, as far as the caller may.
     *
     * @param progress told of each attribute that has been set, also where a later one fails
     */
    public void change(
            FileReference object,
            UnixAttributes current,
            AttributeSettings settings,
            Caller caller,
            AttributeProgress progress)
            throws IOException {
        AttributeSettings checked = checked(current, settings, caller);
        AttributeSettings permitted =
                checked.mode() == null ? checked : checked.withMode(permitted(checked.mode(), current, caller));
        apply(object, current, permitted, progress);
    }

    /**
     * The set-id bits of a file that a write by a user other than root clears, as on Linux. Set-group-id stays only
     * if the group may not execute the file and the writer is in the group.
     */
    public static int droppedByWrite(UnixAttributes current, Caller writer) {
        if (!current.isRegular()) {
            return 0;
        }
        boolean groupGoes = (current.mode() & GROUP_EXECUTE) != 0 || !writer.isIn(current.gid());
        return current.mode() & (groupGoes ? SET_ID_BITS : SET_UID);
    }

    /** Whether an object may be one that this process has just made. */
    public boolean isOfThisProcess(UnixAttributes attributes) {
        return !mayChown || attributes.uid() == 0;
    }

    private static AttributeSettings checked(UnixAttributes current, AttributeSettings settings, Caller caller)
            throws NfsError {
        boolean timesOnly = settings.mode() == null && settings.uid() == null && settings.gid() == null;
        if (!caller.owns(current)) {
            if (timesOnly && settings.serverTime() && caller.may(current, Caller.WRITE)) {
                return settings;
            }
            throw new NfsError(timesOnly && settings.serverTime() ? NFS4ERR_ACCESS : NFS4ERR_PERM);
        }
        if (caller.isRoot()) {
            return settings;
        }
        boolean givesAway = settings.uid() != null && settings.uid() != current.uid();
        boolean foreignGroup =
                settings.gid() != null && settings.gid() != current.gid() && !caller.isIn(settings.gid());
        if (givesAway || foreignGroup) {
            throw new NfsError(NFS4ERR_PERM);
        }
        return withoutSetId(current, settings, caller);
    }

    /** Removes set-id bits, as chown(2) and chmod(2) do for users other than root. */
    private static AttributeSettings withoutSetId(UnixAttributes current, AttributeSettings settings, Caller caller) {
        boolean newGroup = settings.gid() != null && settings.gid() != current.gid();
        if (settings.mode() == null) {
            boolean drops = newGroup && current.isRegular() && (current.mode() & SET_ID_BITS) != 0;
            return drops ? settings.withMode(current.permissions() & ~SET_ID_BITS) : settings;
        }
        int group = newGroup ? settings.gid() : current.gid();
        return current.isRegular() && !caller.isIn(group) ? settings.withMode(settings.mode() & ~02000) : settings;
    }

    private void apply(
            FileReference object, UnixAttributes current, AttributeSettings settings, AttributeProgress progress)
            throws IOException {
        applyOwner(object, current, settings, progress);
        // a link has no mode of its own; that of all else may have lost its set-id bits by the new owner
        if (settings.mode() != null && !current.isSymbolicLink()) {
            object.setMode(settings.mode() & UnixAttributes.MODE_MASK);
            progress.done(Attribute.MODE);
        }
        applyTimes(object, settings, progress);
    }

    private static void applyTimes(FileReference object, AttributeSettings settings, AttributeProgress progress)
            throws IOException {
        if (settings.accessed() == null && settings.modified() == null) {
            return;
        }
        object.setTimes(settings.accessed(), settings.modified());
        if (settings.accessed() != null) {
            progress.done(Attribute.TIME_ACCESS_SET);
        }
        if (settings.modified() != null) {
            progress.done(Attribute.TIME_MODIFY_SET);
        }
    }

    private void applyOwner(
            FileReference object, UnixAttributes current, AttributeSettings settings, AttributeProgress progress)
            throws IOException {
        Integer uid = settings.uid();
        if (uid != null) {
            requireNumber(uid);
            if (uid != current.uid()) {
                requireChown();
                object.setOwner(uid, null);
            }
            progress.done(Attribute.OWNER);
        }
        Integer gid = settings.gid();
        if (gid != null) {
            requireNumber(gid);
            if (gid != current.gid()) {
                object.setOwner(null, gid);
            }
            progress.done(Attribute.OWNER_GROUP);
        }
    }

    private static void requireNumber(int principal) throws NfsError {
        if (principal == NOBODY_AT_ALL) {
            throw new NfsError(NFS4ERR_BADOWNER);
        }
    }

    private void requireChown() throws NfsError {
        if (!mayChown) {
            throw new NfsError(NFS4ERR_PERM);
        }
    }
}
