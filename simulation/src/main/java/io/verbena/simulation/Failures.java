package io.verbena.simulation;

/** Compares failures of worlds. */
final class Failures {
    private static final String WORKER = "client-[0-9]+(-[0-9]+)?";

    private Failures() {}

    /** Whether the first lines of two failures have the same words: numbers and lists differ between worlds. */
    static boolean areAlike(String one, String other) {
        return words(one).equals(words(other));
    }

    /** Whether the first line of a failure has some words in it. */
    static boolean tells(String failure, String what) {
        return words(failure).contains(words(what));
    }

    private static String words(String failure) {
        return failure.lines()
                .findFirst()
                .orElse("")
                .replaceAll(WORKER, "client")
                .replaceAll("\\[[^]]*]", "[]")
                .replaceAll("[0-9]+", "0");
    }
}
