package io.verbena.rpc.security;

import java.io.IOException;

/** There are no usable credentials, or the other end has none. The message says what to do. */
public final class SecurityUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    public SecurityUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
