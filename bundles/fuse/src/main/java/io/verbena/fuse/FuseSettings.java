package io.verbena.fuse;

/**
 * How a mount appears on this host.
 *
 * @param allowOther whether all users may use it, as the modes of files allow; otherwise only the user who mounts
 * @param readOnly whether programs may change nothing
 */
public record FuseSettings(boolean allowOther, boolean readOnly) {
    /** For all users where root mounts, else for the user alone; files may be written. */
    public static FuseSettings defaults(boolean isRoot) {
        return new FuseSettings(isRoot, false);
    }
}
