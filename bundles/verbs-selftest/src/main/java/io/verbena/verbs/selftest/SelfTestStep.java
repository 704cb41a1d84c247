package io.verbena.verbs.selftest;

/**
 * One step of a test.
 *
 * @param name what was tested or measured
 * @param outcome how it ended
 * @param detail the figures, or what went wrong, or why it was not done; may be empty
 */
public record SelfTestStep(String name, Outcome outcome, String detail) {
    /** How a step ended. */
    public enum Outcome {
        OK,
        FAILED,
        /** Not done, since the connection does not offer it or has ended. */
        SKIPPED
    }
}
