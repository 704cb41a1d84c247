package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.node.Node;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;

/**
 * As whom the server is asked. All calls of a mount are made as one user. Where that is root, and all users of this
 * host may use the mount, what a user makes is given to that user; the kernel decides by modes and owners then.
 *
 * @param uid the user of the mount's calls
 * @param gid the group of the mount's calls
 * @param gives whether new objects are given to the users who make them
 */
record Identity(int uid, int gid, boolean gives) {
    private static final int SET_ID = Protocol.S_ISUID | Protocol.S_ISGID;

    /**
     * The changes that give a new object to who asked for it.
     *
     * @param made the attributes of the new object
     * @return null where nothing is to be changed
     */
    AttributeChanges gift(Request request, Node directory, FileAttributes made) {
        if (!gives) {
            return null;
        }
        AttributeChanges changes = AttributeChanges.NONE;
        if (AttributeCodec.id(made.owner()) == uid && request.uid() != uid) {
            changes = changes.withOwner(Integer.toUnsignedString(request.uid()));
        }
        boolean inherits = (directory.mode() & Protocol.S_ISGID) != 0;
        if (!inherits && AttributeCodec.id(made.group()) == gid && request.gid() != gid) {
            changes = changes.withGroup(Integer.toUnsignedString(request.gid()));
        }
        return changes.equals(AttributeChanges.NONE) ? null : changes;
    }

    /**
     * The mode that a new file is made with. Where the file is given away, its set-id bits come after that, by
     * {@link #setId}: the gift clears them, and before it they would make a program that runs as the mount's user.
     */
    int firstMode(Request request, int mode) {
        return isGiven(request) ? mode & ~SET_ID : mode;
    }

    private boolean isGiven(Request request) {
        return gives && (request.uid() != uid || request.gid() != gid);
    }

    /**
     * The changes that set the set-id bits of a new file which now belongs to who asked for it. The group of the
     * directory gets none: the user may not be in it.
     *
     * @param mode the mode that was asked for
     * @param given the attributes after the gift
     * @return null where nothing is to be changed
     */
    AttributeChanges setId(Request request, int mode, FileAttributes given) {
        if (!isGiven(request) || AttributeCodec.id(given.owner()) != request.uid()) {
            return null;
        }
        int allowed = AttributeCodec.id(given.group()) == request.gid() ? SET_ID : Protocol.S_ISUID;
        int missing = mode & allowed & ~given.mode();
        return missing == 0 ? null : AttributeChanges.NONE.withMode(given.mode() | missing);
    }
}
