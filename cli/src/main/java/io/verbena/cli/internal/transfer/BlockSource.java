package io.verbena.cli.internal.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A file that blocks are read from. */
public interface BlockSource extends Closeable {
    /** What {@link #size} returns where only reading tells. */
    long UNKNOWN_SIZE = Long.MAX_VALUE;

    /** In octets. */
    long size();

    /** Which file it was when it was opened, where that can change between two openings. */
    default Optional<FileVersion> version() {
        return Optional.empty();
    }

    /** Whether reads go on in the background, so that it pays to start several. */
    boolean isAsynchronous();

    /** Fills the buffer as far as the file goes; completes with the octets read, or -1 at the end. */
    CompletableFuture<Integer> read(ByteBuffer destination, long position) throws IOException;
}
