package io.verbena.itests;

/** How much a test repeats: less in each build than in a long run, which is {@code mvn verify -Plong}. */
public final class Extent {
    private static final boolean LONG = Boolean.getBoolean("verbena.long");

    private Extent() {}

    public static boolean isLong() {
        return LONG;
    }

    /** A number of repetitions. */
    public static int of(int inBuild, int inLongRun) {
        return LONG ? inLongRun : inBuild;
    }
}
