package io.verbena.rpc.security;

import java.io.IOException;

/** There are no usable credentials, or the other end has none. The message says what to do. */
public final class SecurityUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean isPassing;

    public SecurityUnavailableException(String message, Throwable cause) {
        this(message, false, cause);
    }

    private SecurityUnavailableException(String message, boolean isPassing, Throwable cause) {
        super(message, cause);
        this.isPassing = isPassing;
    }

    /** What may be over soon by itself: nobody answers. */
    public static SecurityUnavailableException passing(String message, Throwable cause) {
        return new SecurityUnavailableException(message, true, cause);
    }

    /** Whether another attempt may help though nobody does anything. */
    public boolean isPassing() {
        return isPassing;
    }
}
