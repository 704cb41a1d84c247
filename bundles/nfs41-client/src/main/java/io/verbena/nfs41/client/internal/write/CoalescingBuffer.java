package io.verbena.nfs41.client.internal.write;

import io.verbena.memory.BufferLease;
import io.verbena.nfs41.client.internal.util.MountMemory;
import java.nio.ByteBuffer;

/**
 * The consecutive small writes of one open that are collected for one WRITE. Guarded by {@link WriteBack}, which it
 * does not know.
 */
final class CoalescingBuffer {
    private final SubmittedWrite submission;
    private final BufferLease lease;
    private final ByteBuffer buffer;

    /**
     * @param lease to be filled up to its buffer's end
     */
    CoalescingBuffer(OpenWriter writer, BufferLease lease, long offset) {
        this.submission = new SubmittedWrite(writer, null, offset);
        this.lease = lease;
        this.buffer = lease.buffer();
    }

    SubmittedWrite submission() {
        return submission;
    }

    /** Whether nothing was collected. */
    boolean isEmpty() {
        return buffer.position() == 0;
    }

    BufferLease lease() {
        return lease;
    }

    /** Whether so many octets of a write can be added. */
    boolean continues(OpenWriter writer, long position, int length) {
        return submission.writer == writer && submission.end == position && buffer.remaining() >= length;
    }

    boolean isFull() {
        return !buffer.hasRemaining();
    }

    /** Adds as many octets of the source as there is room for. */
    void add(ByteBuffer source) {
        int length = Math.min(source.remaining(), buffer.remaining());
        buffer.put(buffer.position(), source, source.position(), length);
        buffer.position(buffer.position() + length);
        source.position(source.position() + length);
        submission.end += length;
    }

    /** The write of all collected octets, in memory of a fitting size. Nothing is added afterwards. Throws nothing. */
    SubmittedWrite toSubmission(MountMemory memory) {
        buffer.flip();
        BufferLease kept = buffer.remaining() < buffer.capacity() ? fitting(memory) : lease;
        submission.source = kept.buffer();
        submission.memory = new SharedLease(kept);
        return submission;
    }

    private BufferLease fitting(MountMemory memory) {
        try {
            BufferLease fitting = memory.tryLease(buffer.remaining());
            if (fitting == null) {
                return lease; // the large one serves as well
            }
            fitting.buffer().put(0, buffer, 0, buffer.remaining());
            lease.close();
            return fitting;
        } catch (Throwable e) {
            return lease;
        }
    }
}
