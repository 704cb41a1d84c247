package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Write;
import java.nio.ByteBuffer;

/** A piece of written data, kept until the server has it on stable storage. Fields belong to {@link WriteBack}. */
final class WriteChunk {
    private final long offset;
    private final ByteBuffer data;
    private final long order;
    private final Submission submission;
    private int written;
    private boolean acknowledged;
    private boolean stable;
    private boolean verifierKnown;
    private boolean mixed;
    private long verifier;

    /**
     * @param data a buffer of the pool's, from its position to its limit
     * @param order of the file's writes
     */
    WriteChunk(Submission submission, long offset, ByteBuffer data, long order) {
        this.submission = submission;
        this.offset = offset;
        this.data = data;
        this.order = order;
    }

    Submission submission() {
        return submission;
    }

    Writer writer() {
        return submission.writer;
    }

    long offset() {
        return offset;
    }

    /** The offset behind its last octet. */
    long end() {
        return offset + data.remaining();
    }

    int length() {
        return data.remaining();
    }

    ByteBuffer data() {
        return data;
    }

    long order() {
        return order;
    }

    boolean isAcknowledged() {
        return acknowledged;
    }

    boolean isStable() {
        return stable;
    }

    /** Whether a COMMIT answered with {@code committed} covers it. */
    boolean isCoveredBy(long committed) {
        return !mixed && verifier == committed;
    }

    boolean overlaps(WriteChunk other) {
        return offset < other.end() && other.offset < end();
    }

    /** What is still to be sent. */
    ByteBuffer rest() {
        return data.slice(data.position() + written, length() - written);
    }

    long restOffset() {
        return offset + written;
    }

    /** To be sent from the start, once more. */
    void rewind() {
        written = 0;
        acknowledged = false;
        stable = false;
        verifierKnown = false;
        mixed = false;
    }

    /**
     * Takes the answer to a WRITE of {@link #rest}.
     *
     * @return whether all has been sent
     */
    boolean take(Write.Result result) {
        boolean isStable = result.committed() != StableHow.UNSTABLE4;
        mixed |= verifierKnown && verifier != result.verifier();
        stable = isStable && (written == 0 || stable);
        verifier = result.verifier();
        verifierKnown = true;
        written += result.count();
        acknowledged = written == length();
        return acknowledged;
    }
}
