package io.verbena.nfs.transfer.internal.tree;

import io.verbena.memory.MemoryShare;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A file from which blocks are read. */
public interface BlockSource extends Closeable {
    /** The value of {@link #size} if the size is known only by reading the file. */
    long UNKNOWN_SIZE = Long.MAX_VALUE;

    /** Returns the size of the file in octets, or {@link #UNKNOWN_SIZE}. */
    long size();

    /**
     * Returns the version of the file at the time it was opened; empty if the file cannot change between two openings.
     */
    default Optional<FileVersion> version() {
        return Optional.empty();
    }

    /**
     * Returns the memory share to lease the blocks from that are read into; empty if the origin of the blocks makes no
     * difference.
     */
    default Optional<MemoryShare> memory() throws IOException {
        return Optional.empty();
    }

    /**
     * Returns whether the file was read as a whole before this source was returned, and nobody has changed it
     * meanwhile.
     */
    default boolean isWhole() {
        return false;
    }

    /** Returns whether reads run in the background, so that several reads in flight are useful. */
    boolean isAsynchronous();

    /**
     * Fills the buffer up to the end of the file. A caller who cancels the future gives the read up. The future
     * completes once nothing uses the buffer any more, however it completes.
     *
     * @return the future number of octets read, or -1 at the end of the file
     */
    CompletableFuture<Integer> read(ByteBuffer destination, long position) throws IOException;
}
