package io.verbena.verbs;

import org.osgi.annotation.versioning.ProviderType;

/** One completed work request. The provider reuses the object after the handler has returned. */
@ProviderType
public final class Completion {
    /** What was completed. */
    public enum Operation {
        SEND,
        RECEIVE,
        RDMA_WRITE,
        RDMA_READ
    }

    /** How it ended. */
    public enum Status {
        /** Done; for a send or write: its memory may be used again. */
        SUCCESS,
        /** Not done, since the connection has ended. */
        FLUSHED,
        /** Not done: the peer refused the access. The connection ends. */
        REMOTE_ACCESS_ERROR,
        /** Not done: the message is longer than the receive posted for it. The connection ends. */
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

    /** Notes that the message received invalidated a steering tag of ours; for providers. */
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

    /** The octets received or read; 0 for others. */
    public int length() {
        return length;
    }

    /** Whether the message received came by Send with Invalidate; the tag is invalid already. */
    public boolean invalidated() {
        return invalidated;
    }

    /** The steering tag that was invalidated, where {@link #invalidated}. */
    public int invalidatedTag() {
        return invalidatedTag;
    }
}
