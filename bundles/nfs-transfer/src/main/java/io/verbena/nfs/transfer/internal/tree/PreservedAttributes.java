package io.verbena.nfs.transfer.internal.tree;

import java.time.Instant;

/**
 * The attributes of a file that a copy keeps only on request.
 *
 * @param mode the low twelve bits of the POSIX mode
 * @param owner the owner, as a number or {@code user@domain}
 * @param group the group, as a number or {@code group@domain}
 * @param accessed the time of the last access to the content
 * @param modified the time of modification of the content
 */
public record PreservedAttributes(int mode, String owner, String group, Instant accessed, Instant modified) {
    private static final int SET_ID = 0_6000;

    public PreservedAttributes withModified(Instant newModified) {
        return new PreservedAttributes(mode, owner, group, accessed, newModified);
    }

    /**
     * Returns the mode without set-user-ID and set-group-ID, for a file whose owner could not be set. Such a file must
     * not grant the rights of another user.
     */
    public int modeForOthers() {
        return mode & ~SET_ID;
    }
}
