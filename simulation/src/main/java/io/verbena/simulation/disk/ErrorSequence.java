package io.verbena.simulation.disk;

/**
 * The failed forces of a file or of a file system. Each open descriptor reports them once, as Linux has it since 4.13:
 * a descriptor has a cursor, and a failure that nobody was told of is reported to those who open the file later.
 */
final class ErrorSequence {
    private int failures;
    private int told;

    /** Begins anew, after a crash. */
    void forget() {
        failures = 0;
        told = 0;
    }

    void failed() {
        failures++;
    }

    /** The cursor of a descriptor that is opened now. */
    int cursor() {
        return told;
    }

    boolean isNews(int cursor) {
        return cursor != failures;
    }

    /** Called when a descriptor reports the failures; returns its new cursor. */
    int tell() {
        told = failures;
        return failures;
    }
}
