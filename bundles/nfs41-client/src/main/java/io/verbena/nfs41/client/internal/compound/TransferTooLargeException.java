package io.verbena.nfs41.client.internal.compound;

import java.io.IOException;

/**
 * A READ or WRITE is not sent again, as the path to the server does not carry requests of its size, and its slot is
 * settled: the server does not execute it any more. Its octets go by smaller ones.
 */
public final class TransferTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long spentNanos;

    /** @param spentNanos what has passed of the time of the request */
    public TransferTooLargeException(long spentNanos) {
        super("the connection is lost whenever a request of this size is sent");
        this.spentNanos = spentNanos;
    }

    /** What has passed of the time of the request, for {@link CompoundRequest#spend}. */
    public long spentNanos() {
        return spentNanos;
    }
}
