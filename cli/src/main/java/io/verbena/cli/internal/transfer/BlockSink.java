package io.verbena.cli.internal.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What blocks are written to, in their order. */
public interface BlockSink extends Closeable {
    /** Which file it was when it was opened, where that can change between two openings. */
    default Optional<FileVersion> version() {
        return Optional.empty();
    }

    /** Whether what is not written reads as zeros, once {@link #finish} has set the size. */
    boolean canHaveHoles();

    /** Whether a write ends before {@link #write} returns and outlives this object without a {@link #checkpoint}. */
    boolean keepsWrites();

    /** Writes the whole buffer, which is the sink's until then. */
    CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException;

    /** Brings everything so far, no write being under way, to where it outlives this object; see {@link #keepsWrites}. */
    void checkpoint() throws IOException;

    /** Completes the file, which shall have this size; no write is under way. */
    void finish(long size) throws IOException;
}
