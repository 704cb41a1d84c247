package io.verbena.verbs.selftest.internal;

/** A step failed; its connection may still be established. */
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
