package io.verbena.nfs;

import java.io.IOException;

/**
 * The mount has ended because its bundle was stopped, updated or refreshed, or its configuration was changed, and not
 * because it was unmounted. A {@link Mount} service of the same name replaces it, now or when the bundle is started
 * again. A caller that goes on gets that service and opens files again by their paths.
 */
public final class MountReplacedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String mount;
    private final boolean undecided;

    /**
     * @param mount the name of the mount
     * @param undecided whether the operation was sent to the server and has no answer
     */
    public MountReplacedException(String mount, boolean undecided) {
        super("mount " + mount + " was replaced"
                + (undecided ? ", and whether the server has done the operation is not known" : "")
                + ": get the Mount service of that name again, and open files again by their paths");
        this.mount = mount;
        this.undecided = undecided;
    }

    /** The {@link Mount#NAME} of the mount, and of the service that replaces it. */
    public String mount() {
        return mount;
    }

    /**
     * Whether the server may have executed the operation, or a part of it; false if it certainly has executed nothing
     * that changes something.
     */
    public boolean isUndecided() {
        return undecided;
    }
}
