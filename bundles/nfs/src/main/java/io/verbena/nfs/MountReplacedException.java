package io.verbena.nfs;

import java.io.IOException;

/**
 * The mount is gone because its bundle was stopped, updated or refreshed, or its configuration was changed, and not
 * because somebody unmounted it: a {@link Mount} service of the same name takes its place, or will when the bundle is
 * started again. Whoever wants to go on gets that service and opens files again by their paths.
 */
public final class MountReplacedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String mount;
    private final boolean undecided;

    /**
     * @param mount its name
     * @param undecided whether the operation was on its way to the server without an answer
     */
    public MountReplacedException(String mount, boolean undecided) {
        super("mount " + mount + " was replaced"
                + (undecided ? ", and whether the server has done the operation is not known" : "")
                + ": get the Mount service of that name again, and open files again by their paths");
        this.mount = mount;
        this.undecided = undecided;
    }

    /** The mount's name, the {@link Mount#NAME} of the service to go on with. */
    public String mount() {
        return mount;
    }

    /** Whether the server may have done the operation: false where it certainly has not. */
    public boolean isUndecided() {
        return undecided;
    }
}
