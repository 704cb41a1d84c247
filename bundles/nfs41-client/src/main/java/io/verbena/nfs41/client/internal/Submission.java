package io.verbena.nfs41.client.internal;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** One call that writes: pieces of it go out as there is room. Fields are guarded by {@link WriteBack}. */
final class Submission {
    final Writer writer;
    final CompletableFuture<Void> done = new CompletableFuture<>();
    /** Whether the source is a buffer of the pool's that goes over to {@link WriteBack}. */
    final boolean handedOver;

    ByteBuffer source;
    /** The offset of its first octet, or {@link AppendEnd#UNKNOWN} of an append without a place. */
    long start;
    /** The offset of the next piece. */
    long position;
    /** The offset behind its last octet. */
    long end;
    /** Behind the order of its last piece. */
    long endOrder;

    int outstanding;
    boolean allSent;
    Throwable thrown;

    /**
     * @param source null where the buffer is still being filled: see {@link FillingBuffer}
     */
    Submission(Writer writer, ByteBuffer source, long position, boolean handedOver) {
        this.writer = writer;
        this.source = source;
        this.start = position;
        this.position = position;
        this.end = source == null ? position : position + source.remaining();
        this.handedOver = handedOver;
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

    boolean overlaps(long from, long to) {
        return start == AppendEnd.UNKNOWN || (start < to && from < end);
    }
}
