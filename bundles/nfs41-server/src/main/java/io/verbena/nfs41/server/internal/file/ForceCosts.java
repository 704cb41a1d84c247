package io.verbena.nfs41.server.internal.file;

/**
 * Compares what an object costs that is brought to stable storage alone, by fsync(2), and together with others, by
 * syncfs(2). The latter also writes what other programs of the host have left unwritten in the file system, and may
 * take much longer for that. It is left out for some time then. The owner guards it.
 */
final class ForceCosts {
    private static final double WEIGHT = 1.0 / 16;

    /** How many objects are forced alone after a syncfs(2) that was not worthwhile; then twice as many. */
    static final int SHORTEST_PAUSE = 64;

    static final int LONGEST_PAUSE = 8192;

    private double nanosAlone;
    private int pause = SHORTEST_PAUSE;
    private int left;
    private boolean canTogether = true;

    boolean isTogetherWorthwhile() {
        return canTogether && left == 0;
    }

    /**
     * An fsync(2) is over.
     *
     * @param atATime how many were under way
     */
    void alone(long nanos, int atATime) {
        double each = (double) nanos / Math.max(1, atATime);
        nanosAlone = nanosAlone == 0 ? each : nanosAlone + WEIGHT * (each - nanosAlone);
        left = Math.max(0, left - 1);
    }

    /** A syncfs(2) is over. */
    void together(long nanos, int objects) {
        if (nanosAlone > 0 && (double) nanos / objects > nanosAlone) {
            left = pause;
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        } else {
            pause = SHORTEST_PAUSE;
        }
    }

    /** The host has no such call. */
    void cannotTogether() {
        canTogether = false;
    }
}
