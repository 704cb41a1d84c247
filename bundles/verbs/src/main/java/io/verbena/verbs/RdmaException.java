package io.verbena.verbs;

import java.io.IOException;

/** A connection or a work request failed. */
public final class RdmaException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final byte[] NONE = {};

    /** The kinds of failure, by the reaction of a caller. */
    public enum Kind {
        /** There is no route, no such host, or no device for the address. */
        UNREACHABLE,
        /** Nobody listens at that address. */
        REFUSED,
        /** The peer's side rejected the connection; see {@link #privateData}. */
        REJECTED,
        /** There was no answer in the time allowed. */
        TIMED_OUT,
        /** The peer does not speak the protocol, or violated it. */
        PROTOCOL,
        /** The peer accessed, or was refused access to, memory that was not granted. */
        ACCESS,
        /** The connection has ended or broken. */
        DISCONNECTED,
        /** The local address is not available. */
        ADDRESS_UNAVAILABLE,
        /** The queue is full. */
        QUEUE_FULL,
        /**
         * The named local memory does not exist, does not belong to this connection, or does not allow the operation.
         */
        LOCAL_PROTECTION,
        /** A limit of the device was reached, or a system call failed. */
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
