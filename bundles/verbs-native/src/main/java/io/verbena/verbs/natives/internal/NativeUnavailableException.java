package io.verbena.verbs.natives.internal;

/** This host has no libraries for RDMA devices that can be used; the message is one line that says why. */
final class NativeUnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    NativeUnavailableException(String message) {
        super(message);
    }

    NativeUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
