package io.verbena.verbs.selftest;

/**
 * One step of a test.
 *
 * @param name the name of the test or measurement
 * @param outcome the outcome
 * @param detail the figures, or the reason of the failure or of the skip; may be empty
 */
public record SelfTestStep(String name, Outcome outcome, String detail) {
    /** The outcome of a step. */
    public enum Outcome {
        OK,
        FAILED,
        /** The step was not executed, because the connection does not support it or has ended. */
        SKIPPED
    }
}
