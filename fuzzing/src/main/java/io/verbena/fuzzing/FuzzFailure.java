package io.verbena.fuzzing;

/** An input that a decoder does not treat as it promises; the message holds all that is needed to try it again. */
public final class FuzzFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    FuzzFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
