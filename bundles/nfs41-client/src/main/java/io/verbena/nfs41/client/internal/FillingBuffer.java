package io.verbena.nfs41.client.internal;

import java.nio.ByteBuffer;

/**
 * Small writes of one open that follow one another, collected for one WRITE. Guarded by {@link WriteBack}.
 */
final class FillingBuffer {
    private final Submission submission;
    private final ByteBuffer buffer;

    /**
     * @param buffer of the pool's, to be filled up to its limit
     */
    FillingBuffer(Writer writer, ByteBuffer buffer, long offset) {
        this.submission = new Submission(writer, null, offset, true);
        this.buffer = buffer;
    }

    Submission submission() {
        return submission;
    }

    /** Whether so many octets of a write can be added. */
    boolean continues(Writer writer, long position, int length) {
        return submission.writer == writer && submission.end == position && buffer.remaining() >= length;
    }

    boolean isFull() {
        return !buffer.hasRemaining();
    }

    /** Adds as much of the source as there is room for. */
    void add(ByteBuffer source) {
        int length = Math.min(source.remaining(), buffer.remaining());
        buffer.put(buffer.position(), source, source.position(), length);
        buffer.position(buffer.position() + length);
        source.position(source.position() + length);
        submission.end += length;
    }

    /** The submission of all that was collected, in a buffer of a fitting size. Nothing is added any more. */
    Submission toSubmission(BufferPool pool) {
        ByteBuffer collected = buffer.flip();
        if (BufferPool.sizeOf(collected.remaining()) < collected.capacity()) {
            collected = fitting(collected, pool);
        }
        submission.source = collected;
        return submission;
    }

    private static ByteBuffer fitting(ByteBuffer collected, BufferPool pool) {
        try {
            ByteBuffer fitting = pool.take(collected.remaining());
            fitting.put(0, collected, 0, collected.remaining());
            pool.give(collected);
            return fitting;
        } catch (OutOfMemoryError e) {
            return collected; // the large one serves as well
        }
    }
}
