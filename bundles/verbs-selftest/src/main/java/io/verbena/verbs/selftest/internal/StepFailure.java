package io.verbena.verbs.selftest.internal;

/** A step went wrong, while its connection may well stand. */
final class StepFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StepFailure(String message) {
        super(message);
    }

    static void check(boolean holds, String problem) {
        if (!holds) {
            throw new StepFailure(problem);
        }
    }
}
