package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.nfs41.client.internal.util.MountMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

/**
 * Collects small writes of one file that follow one another for one WRITE. The WRITE goes out when no other write is
 * under way, when the buffer is full, or when somebody waits for the octets. Thread safe; its monitor is that of
 * {@link WriteBack}.
 */
final class WriteCoalescer {
    private final WriteBack writes;
    private final MountMemory memory;
    private final IntSupplier wsize;

    @GuardedBy("writes")
    private CoalescingBuffer filling;

    WriteCoalescer(WriteBack writes, MountMemory memory, IntSupplier wsize) {
        this.writes = writes;
        this.memory = memory;
        this.wsize = wsize;
    }

    /** Whether nothing is collected. */
    boolean isEmpty() {
        synchronized (writes) {
            return filling == null;
        }
    }

    /**
     * Collects octets of the source, at most as many as one WRITE has room for. The caller drains then.
     *
     * @param length the least to take
     * @return complete when the server has answered the WRITE; null where there is no memory, and nothing was changed
     */
    CompletableFuture<Void> collect(OpenWriter writer, ByteBuffer source, long position, int length) {
        synchronized (writes) {
            if (filling == null || !filling.continues(writer, position, length)) {
                BufferLease lease = memory.tryLease(wsize.getAsInt());
                if (lease == null) {
                    return null;
                }
                push();
                filling = new CoalescingBuffer(writer, lease, position);
            }
            SubmittedWrite collecting = filling.submission();
            addTo(filling, source);
            writes.collected(collecting.end);
            if (filling.isFull() || !writes.hasActive()) {
                push(); // no answer is awaited that would send the buffer
            }
            return collecting.done;
        }
    }

    @GuardedBy("writes")
    private void addTo(CoalescingBuffer collected, ByteBuffer source) {
        try {
            collected.add(source);
        } catch (Throwable e) { // of the caller's buffer, as one of a mapped file that has been cut
            if (collected.isEmpty()) {
                filling = null; // else it would be submitted without a single octet
                collected.lease().close();
            }
            throw e;
        }
    }

    /** Submits what was collected. The caller drains then. */
    void push() {
        synchronized (writes) {
            CoalescingBuffer full = filling;
            if (full != null) {
                filling = null; // whatever follows, the buffer is no longer filled
                writes.submit(full.toSubmission(memory));
            }
        }
    }

    /** Submits what was collected where octets of it overlap a range. The caller drains then. */
    void pushIfOverlapping(long from, long to) {
        synchronized (writes) {
            if (filling != null && filling.submission().overlaps(from, to)) {
                push();
            }
        }
    }
}
