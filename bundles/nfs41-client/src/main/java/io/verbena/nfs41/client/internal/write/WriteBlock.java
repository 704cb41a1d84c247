package io.verbena.nfs41.client.internal.write;

import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Write;
import java.nio.ByteBuffer;

/**
 * A part of a write that one WRITE carries, kept until the server has it on stable storage. Guarded by {@link
 * WriteBack}, which it does not know.
 */
final class WriteBlock {
    private final long offset;
    private final ByteBuffer data;
    private final SharedLease memory;
    private final long order;
    private final SubmittedWrite submission;
    private int written;
    private boolean acknowledged;
    private boolean stable;
    private boolean verifierKnown;
    private boolean mixed;
    private boolean over;
    private boolean forgotten;
    private long verifier;

    /**
     * @param data from its position to its limit
     * @param memory the memory of the data; the chunk has one use of it
     * @param order the place among the chunks of the file
     */
    WriteBlock(SubmittedWrite submission, long offset, ByteBuffer data, SharedLease memory, long order) {
        this.submission = submission;
        this.offset = offset;
        this.data = data;
        this.memory = memory;
        this.order = order;
    }

    SubmittedWrite submission() {
        return submission;
    }

    OpenWriter writer() {
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

    /** Releases the memory of the data. */
    void releaseMemory() {
        memory.release();
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

    /** The call is over, or nobody hears of its end. Returns false the second time. */
    boolean endCall() {
        boolean first = !over;
        over = true;
        return first;
    }

    /** Nobody hears of the answer: the writer was told of a failure, and the chunk is not written again. */
    void forget() {
        forgotten = true;
    }

    boolean isForgotten() {
        return forgotten;
    }

    /** Whether a COMMIT with the verifier {@code committed} covers the chunk. */
    boolean isCoveredBy(long committed) {
        return !mixed && verifier == committed;
    }

    boolean overlaps(WriteBlock other) {
        return overlaps(other.offset, other.end());
    }

    boolean overlaps(long from, long to) {
        return offset < to && from < end();
    }

    /** The octets that are still to be sent. */
    ByteBuffer rest() {
        return data.slice(data.position() + written, length() - written);
    }

    long restOffset() {
        return offset + written;
    }

    /** Prepares the chunk to be sent again from its start. */
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
     * @return whether all octets are written
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
