package io.verbena.nfs;

/** How a mount fares. */
public enum MountState {
    /** It has been configured and not connected yet, or is trying to. */
    CONNECTING,
    /** It can be used. */
    MOUNTED,
    /** The connection was lost; calls wait until it is back or their time is up. */
    RECOVERING,
    /** It could not be mounted: see {@link Mount#failure}. The next use tries again. */
    FAILED,
    /** It has been unmounted; the object is of no more use. */
    UNMOUNTED
}
