package io.verbena.nfs;

/**
 * Events about mounts, sent through Event Admin if it is present. All events have the properties {@link Mount#NAME} and
 * {@link #MESSAGE}, a line for people.
 */
public final class MountEvents {
    /**
     * The client or the transport of a mount has been replaced; the mount goes on. If the same transport replaces a
     * single connection, the transport sends the event.
     */
    public static final String SWAPPED = "io/verbena/nfs/mount/SWAPPED";

    /** Property: a line for people, the same as in the log. */
    public static final String MESSAGE = "message";

    /** Property: what was replaced, {@code mount} or {@code transport}. */
    public static final String WHAT = "what";

    /** Property, a Long: for how many milliseconds no calls were sent. */
    public static final String PAUSE_MILLIS = "pauseMillis";

    private MountEvents() {}
}
