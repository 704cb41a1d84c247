package io.verbena.nfs41.client.internal.figures;

/** Listens to replacements under a mount: of its transport, or of the mount itself. */
public interface MountSwapListener {
    /** The value of an unknown pause. */
    long UNKNOWN = -1;

    /**
     * @param mount its name
     * @param what as in {@link io.verbena.nfs.MountEvents#WHAT}
     * @param message a line for people
     * @param pauseMillis how long no request was sent, or {@link #UNKNOWN}
     */
    void swapped(String mount, String what, String message, long pauseMillis);
}
