package io.verbena.nfs41.client.internal;

/** Told of what was replaced under a mount, or that it has taken another one's place. */
interface SwapListener {
    /** The pause where it is not known. */
    long UNKNOWN = -1;

    /**
     * @param mount its name
     * @param what as in {@link io.verbena.nfs.MountEvents#WHAT}
     * @param message a line for people
     * @param pauseMillis for how long nothing was sent, or {@link #UNKNOWN}
     */
    void swapped(String mount, String what, String message, long pauseMillis);
}
