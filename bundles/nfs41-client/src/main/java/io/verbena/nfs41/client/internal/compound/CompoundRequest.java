package io.verbena.nfs41.client.internal.compound;

import io.verbena.memory.BorrowingFuture;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A COMPOUND without its SEQUENCE. It may be encoded and sent several times, in other sessions and with other stateids.
 *
 * @param <T> the decoded results
 */
public abstract class CompoundRequest<T> {
    /** Enough for the results of lookups and attributes. */
    public static final int SMALL_REPLY = 3072;

    private volatile boolean mayBeDone;
    private long spentNanos;

    /**
     * Notes that so much of the time of the request on a soft mount has passed already, as it goes on with what another
     * one has begun. It has time for one attempt all the same. Called before the request begins.
     */
    public final void spend(long nanos) {
        spentNanos = nanos;
    }

    public final long spentNanos() {
        return spentNanos;
    }

    /** Notes that a transmission without an answer may have executed the request, whatever a later one is answered. */
    public final void setMayBeDone() {
        mayBeDone = true;
    }

    /** Whether an earlier transmission may have executed the request; known once the request has failed. */
    public final boolean mayBeDone() {
        return mayBeDone;
    }

    public abstract void encode(CompoundWriter operations);

    /** Decodes the results. Called on the connection's receive thread. */
    public abstract T decode(Results results) throws IOException;

    /** Whether the server has to cache the reply ({@code sa_cachethis}), as the request must not be executed twice. */
    public boolean isCached() {
        return false;
    }

    /**
     * Whether any connection of the session may carry the request. A reply that brings state of which the server calls
     * back, such as a delegation, comes by the connection of the callbacks, so that no callback overtakes it.
     */
    public boolean isSpread() {
        return false;
    }

    /**
     * The octets of data that the request moves, where they can be moved by several smaller ones instead; else 0. Such
     * a request may fail with {@link TransferTooLargeException}: the server does not execute it any more, and has not
     * executed it if its reply has to be cached.
     */
    public int transferOctets() {
        return 0;
    }

    /** The greatest size of the reply in octets, without the data that goes to {@link #sink}. */
    public int maxReplySize() {
        return SMALL_REPLY;
    }

    /** The operation whose caller's buffer the request uses while an attempt is under way, or null. */
    public BorrowingFuture<?> borrower() {
        return null;
    }

    /**
     * The operation that the request is part of, where its caller can give it up; else null. The request stops to wait
     * for its turn then, and is not sent again.
     */
    public BorrowingFuture<?> operation() {
        return borrower();
    }

    /**
     * The operation was given up, and the buffer goes back to its caller.
     *
     * @return whether the request goes on with a copy, as it leaves state on the server; else it ends
     */
    public boolean leaveBuffer() {
        return false;
    }

    /** The buffer for the data of READ, or null. */
    public ByteBuffer sink() {
        return null;
    }
}
