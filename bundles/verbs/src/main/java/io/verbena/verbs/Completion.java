package io.verbena.verbs;

import org.osgi.annotation.versioning.ProviderType;

/** One completed work request. The provider reuses the object after the handler returns. */
@ProviderType
public final class Completion {
    /** The kind of work request. */
    public enum Operation {
        SEND,
        RECEIVE,
        RDMA_WRITE,
        RDMA_READ
    }

    /** The result of a work request. */
    public enum Status {
        /** The work request succeeded. The memory of a send or write may be used again. */
        SUCCESS,
        /** The work request was not executed because the connection has ended. */
        FLUSHED,
        /** The peer refused the access. The connection ends. */
        REMOTE_ACCESS_ERROR,
        /** The message is longer than the receive posted for it. The connection ends. */
        LENGTH_ERROR
    }

    private long id;
    private Operation operation = Operation.SEND;
    private Status status = Status.SUCCESS;
    private int length;
    private boolean invalidated;
    private int invalidatedTag;

    /** Fills the object; for providers. */
    public Completion set(long newId, Operation newOperation, Status newStatus, int newLength) {
        id = newId;
        operation = newOperation;
        status = newStatus;
        length = newLength;
        invalidated = false;
        invalidatedTag = 0;
        return this;
    }

    /** Notes that the received message invalidated a local steering tag; for providers. */
    public Completion setInvalidated(int steeringTag) {
        invalidated = true;
        invalidatedTag = steeringTag;
        return this;
    }

    /** The number that the work request was posted with. */
    public long id() {
        return id;
    }

    public Operation operation() {
        return operation;
    }

    public Status status() {
        return status;
    }

    /** The octets received or read; 0 for other operations. */
    public int length() {
        return length;
    }

    /** Whether the message was received by Send with Invalidate; the tag is invalid already. */
    public boolean invalidated() {
        return invalidated;
    }

    /** The invalidated steering tag, if {@link #invalidated}. */
    public int invalidatedTag() {
        return invalidatedTag;
    }
}
