package io.verbena.nfs.transfer.internal.tree;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Receives blocks in their order. */
public interface BlockSink extends Closeable {
    /**
     * Returns the version of the file at the time it was opened; empty if the file cannot change between two openings.
     */
    default Optional<FileVersion> version() {
        return Optional.empty();
    }

    /** Returns whether octets that are not written read as zeros after {@link #finish} has set the size. */
    boolean canHaveHoles();

    /**
     * Returns whether each write is complete when {@link #write} returns, and outlives this object without a {@link
     * #checkpoint}.
     */
    boolean keepsWrites();

    /** Returns whether nothing outlives this object before it is closed, so that there are no checkpoints. */
    default boolean isWhole() {
        return false;
    }

    /** Writes the whole buffer. The sink owns the buffer until the future completes. */
    CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException;

    /**
     * Writes the whole buffer of a block, and closes the block when its memory is no longer needed, also if this method
     * throws.
     */
    default CompletableFuture<Void> write(BufferLease block, long position) throws IOException {
        CompletableFuture<Void> written = null;
        try {
            written = write(block.buffer(), position);
            return written.whenComplete((done, thrown) -> block.close());
        } finally {
            if (written == null) {
                block.close();
            }
        }
    }

    /**
     * Returns the memory share to lease the written blocks from; empty if the origin of the blocks makes no difference.
     */
    default Optional<MemoryShare> memory() throws IOException {
        return Optional.empty();
    }

    /** Makes all writes so far outlive this object; see {@link #keepsWrites}. Called when no write is in flight. */
    void checkpoint() throws IOException;

    /**
     * Completes the file. Called when no write is in flight.
     *
     * @param size the size of the complete file in octets
     */
    void finish(long size) throws IOException;
}
