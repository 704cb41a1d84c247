package io.verbena.nfs;

/** The state of a mount. */
public enum MountState {
    /** The mount is configured and is connecting, or will connect. */
    CONNECTING,
    /** The mount can be used. */
    MOUNTED,
    /** The connection was lost. Calls wait until it is restored, or until their time is up. */
    RECOVERING,
    /** The mount could not be made: see {@link Mount#failure}. The next use tries again. */
    FAILED,
    /** The mount has been unmounted and cannot be used any more. */
    UNMOUNTED
}
