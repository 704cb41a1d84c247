package io.verbena.rpcrdma;

/** What an {@link MessageType#ERROR} message complains of. */
public enum HeaderError {
    NONE,
    /** The version is not supported; the supported range comes with it. */
    VERSION,
    /** The header or its chunks cannot be used ({@code ERR_CHUNK}, in Version Two {@code ERR_BAD_HEADER}). */
    BAD_HEADER,
    /** The optional operation is not known. Version Two only. */
    INVALID_OPTION
}
