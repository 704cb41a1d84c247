package io.verbena.nfs41.client.internal.write;

import io.verbena.nfs41.client.internal.compound.Errors;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * One call of a user that writes. Its octets are sent in chunks, as there is room. Guarded by {@link WriteBack}, which
 * it does not know.
 */
public final class SubmittedWrite {
    /** The offset of an append without an offset yet. */
    public static final long NOWHERE = -1;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    final OpenWriter writer;
    /** Completes once the server has answered all chunks. */
    public final CompletableFuture<Void> done = new CompletableFuture<>();
    /** Completes once no octet is taken from the source any more; never fails. */
    public final CompletableFuture<Void> taken = new CompletableFuture<>();
    /** The memory of the source, where {@link WriteBack} has taken it over; null where the source is the caller's. */
    SharedLease memory;

    private final boolean append;

    /** The octets that are still to be sent. */
    ByteBuffer source;
    /** The offset of its first octet, or {@link #NOWHERE}. */
    public long start;
    /** The offset of the next chunk. */
    long position;
    /** The offset behind its last octet. */
    long end;
    /** The order of its last chunk. */
    long endOrder;
    /** The greatest end of the writes that were called while this append had no offset. */
    long writtenBehind;

    int outstanding;
    boolean allSent;
    Throwable thrown;

    /**
     * @param source null where the buffer is still being filled: see {@link CoalescingBuffer}
     * @param position {@link #NOWHERE} of an append
     */
    SubmittedWrite(OpenWriter writer, ByteBuffer source, long position) {
        this.writer = writer;
        this.source = source;
        this.start = position;
        this.position = position;
        this.end = source == null ? position : position + source.remaining();
        this.append = position == NOWHERE;
    }

    /** Gives an append its offset. */
    void place(long at) {
        start = at;
        position = at;
        end = at + source.remaining();
    }

    /**
     * All octets are sent, or no more will be. Drops the reference to the caller's buffer: the chunks live until a
     * COMMIT.
     */
    void allIsSent() {
        allSent = true;
        source = NOTHING;
        if (memory != null) {
            memory.release();
            memory = null;
        }
    }

    /** Records a failure for the caller and for the next sync. Throws nothing. */
    void fail(Throwable why) {
        thrown = Errors.moreSerious(thrown, why);
        writer.fail(why);
    }

    /**
     * The caller has left and may reuse its buffer. The rest of a write is not sent. The rest of an append that has an
     * offset is copied and sent: later appends lie behind it, and a hole would be left.
     */
    void leave() {
        if (allSent || thrown != null) {
            return;
        }
        if (append && start != NOWHERE) {
            try {
                source = ByteBuffer.allocate(source.remaining())
                        .put(source.duplicate())
                        .flip();
            } catch (Throwable e) { // a hole is better than octets that the caller puts there later
                stop(e);
            }
        } else {
            stop(new InterruptedIOException("the call was interrupted before all was sent"));
        }
    }

    /** Nothing more is sent. The line, in which this write may stand for long, keeps no buffer of the caller. */
    private void stop(Throwable why) {
        thrown = why;
        source = NOTHING;
    }

    boolean overlaps(long from, long to) {
        return start == NOWHERE || (start < to && from < end);
    }
}
