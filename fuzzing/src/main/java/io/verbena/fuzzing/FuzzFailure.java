package io.verbena.fuzzing;

/** A decoder violated its promises for an input. The message holds everything needed to repeat the attempt. */
public final class FuzzFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    FuzzFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
