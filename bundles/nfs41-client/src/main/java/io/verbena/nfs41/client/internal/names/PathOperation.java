package io.verbena.nfs41.client.internal.names;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The last operations of a COMPOUND, at the end of a path, and the decoding of their results.
 *
 * @param <T> the decoded results
 */
public interface PathOperation<T> {
    /** The most operations that {@link #encode} writes. */
    int MAX_OPERATIONS = 8;

    /** @param name the last component, where the operation works on its directory; else null */
    void encode(CompoundWriter operations, String name);

    T decode(Results results) throws IOException;

    /** Whether the server has to cache the reply: see {@link CompoundRequest#isCached}. */
    default boolean isCached() {
        return false;
    }

    /** See {@link CompoundRequest#borrower}. */
    default BorrowingFuture<?> borrower() {
        return null;
    }

    /** See {@link CompoundRequest#leaveBuffer}. */
    default boolean leaveBuffer() {
        return false;
    }

    /** The buffer for the data of READ, or null: see {@link CompoundRequest#sink}. */
    default ByteBuffer sink() {
        return null;
    }

    /** See {@link CompoundRequest#transferOctets}. */
    default int transferOctets() {
        return 0;
    }

    /** The error where the path leads to a directory, but ends with no name to work on. */
    default Status withoutName() {
        return Status.NFS4ERR_INVAL;
    }

    default int maxReplySize() {
        return CompoundRequest.SMALL_REPLY;
    }
}
