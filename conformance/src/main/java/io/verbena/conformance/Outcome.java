package io.verbena.conformance;

/** How a test went, the worst last. */
enum Outcome {
    PASSED,
    /** skipped, disabled, given up by an assumption, or not begun */
    NOT_RUN,
    FAILED;

    Outcome worst(Outcome other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
