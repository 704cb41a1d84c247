package io.verbena.conformance;

/** The outcome of a test, the worst last. */
enum Outcome {
    PASSED,
    /** Skipped, disabled, ended by an assumption, or not begun. */
    NOT_RUN,
    FAILED;

    Outcome worst(Outcome other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
