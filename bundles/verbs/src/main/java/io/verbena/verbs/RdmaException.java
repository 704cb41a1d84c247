package io.verbena.verbs;

import java.io.IOException;

/** What went wrong with a connection or a work request. */
public final class RdmaException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final byte[] NONE = {};

    /** The kinds, by what a caller does about them. */
    public enum Kind {
        /** No route, no such host, no device for it. */
        UNREACHABLE,
        /** Nobody listens at that address. */
        REFUSED,
        /** The peer's side rejected the connection; see {@link #privateData}. */
        REJECTED,
        /** Nothing happened in the time allowed. */
        TIMED_OUT,
        /** What the peer sent is not the protocol, or breaks it. */
        PROTOCOL,
        /** The peer accessed, or was refused access to, memory that was not granted. */
        ACCESS,
        /** The connection has ended or broken. */
        DISCONNECTED,
        /** The local address cannot be had. */
        ADDRESS_UNAVAILABLE,
        /** More was posted than the queue holds. */
        QUEUE_FULL,
        /** The local memory named does not exist, is not of this connection, or does not allow it. */
        LOCAL_PROTECTION,
        /** A limit of the device's, or a failing call of the system's. */
        RESOURCES
    }

    private final Kind kind;
    private final transient byte[] privateData;

    public RdmaException(Kind kind, String message) {
        this(kind, message, null, NONE);
    }

    public RdmaException(Kind kind, String message, Throwable cause) {
        this(kind, message, cause, NONE);
    }

    public RdmaException(Kind kind, String message, Throwable cause, byte[] privateData) {
        super(message, cause);
        this.kind = kind;
        this.privateData = privateData.clone();
    }

    public Kind kind() {
        return kind;
    }

    /** The private data of a rejection, empty otherwise. */
    public byte[] privateData() {
        return privateData == null ? NONE : privateData.clone();
    }
}
