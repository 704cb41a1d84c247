package io.verbena.rpcrdma;

/** The error that an {@link MessageType#ERROR} message reports. */
public enum HeaderError {
    NONE,
    /** The version is not supported; the message holds the supported range. */
    VERSION,
    /** The header or its chunks cannot be used ({@code ERR_CHUNK}, in Version Two {@code ERR_BAD_HEADER}). */
    BAD_HEADER,
    /** The optional operation is not known. Version Two only. */
    INVALID_OPTION
}
