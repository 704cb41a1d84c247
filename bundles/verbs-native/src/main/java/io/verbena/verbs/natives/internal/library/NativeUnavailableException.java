package io.verbena.verbs.natives.internal.library;

/** This host has no usable libraries for RDMA devices. The message is one line that says why. */
public final class NativeUnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    public NativeUnavailableException(String message) {
        super(message);
    }

    public NativeUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
