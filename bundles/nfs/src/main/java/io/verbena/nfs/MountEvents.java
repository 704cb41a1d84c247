package io.verbena.nfs;

/**
 * Events about mounts, sent through Event Admin where that is there. All have the property {@link Mount#NAME} and, in
 * {@link #MESSAGE}, a line for people.
 */
public final class MountEvents {
    /**
     * A mount's client or transport has been replaced; it goes on. Of a single connection that is replaced by the same
     * transport, the transport tells.
     */
    public static final String SWAPPED = "io/verbena/nfs/mount/SWAPPED";

    /** Property: a line for people, the same as in the log. */
    public static final String MESSAGE = "message";

    /** Property: what was replaced: {@code mount} or {@code transport}. */
    public static final String WHAT = "what";

    /** Property, a Long: milliseconds from when no more calls were sent until they were again. */
    public static final String PAUSE_MILLIS = "pauseMillis";

    private MountEvents() {}
}
