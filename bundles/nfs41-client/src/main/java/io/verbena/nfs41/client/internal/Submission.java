package io.verbena.nfs41.client.internal;

import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** One call that writes: pieces of it go out as there is room. Fields are guarded by {@link WriteBack}. */
final class Submission {
    /** The offset of an append that has no place yet. */
    static final long NOWHERE = -1;

    final Writer writer;
    /** Complete once the server has answered all pieces. */
    final CompletableFuture<Void> done = new CompletableFuture<>();
    /** Complete once nothing more is taken from the source; never fails. */
    final CompletableFuture<Void> taken = new CompletableFuture<>();
    /** Whether the source is a buffer of the pool's that goes over to {@link WriteBack}. */
    final boolean handedOver;

    private final boolean append;

    ByteBuffer source;
    /** The offset of its first octet, or {@link #NOWHERE}. */
    long start;
    /** The offset of the next piece. */
    long position;
    /** The offset behind its last octet. */
    long end;
    /** Behind the order of its last piece. */
    long endOrder;
    /** How far the writes reach that were called while this had no place. */
    long writtenBehind;

    int outstanding;
    boolean allSent;
    Throwable thrown;

    /**
     * @param source null where the buffer is still being filled: see {@link FillingBuffer}
     * @param position {@link #NOWHERE} of an append
     */
    Submission(Writer writer, ByteBuffer source, long position, boolean handedOver) {
        this.writer = writer;
        this.source = source;
        this.start = position;
        this.position = position;
        this.end = source == null ? position : position + source.remaining();
        this.handedOver = handedOver;
        this.append = position == NOWHERE;
    }

    /** Gives an append its place. */
    void place(long at) {
        start = at;
        position = at;
        end = at + source.remaining();
    }

    /** The caller and the next sync are told. */
    void fail(Throwable why) {
        thrown = Errors.graver(thrown, why);
        writer.fail(why);
    }

    /**
     * The caller has left, and the source is its own again. The rest of a write is left out, but not that of an append
     * with a place: behind it others have theirs, and a hole would be between.
     */
    void leave() {
        if (allSent || thrown != null) {
            return;
        }
        if (append && start != NOWHERE) {
            source = ByteBuffer.allocate(source.remaining())
                    .put(source.duplicate())
                    .flip();
        } else {
            thrown = new InterruptedIOException("the call was interrupted before all was sent");
        }
    }

    boolean overlaps(long from, long to) {
        return start == NOWHERE || (start < to && from < end);
    }
}
