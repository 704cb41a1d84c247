package io.verbena.nfs41.client.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/** What was written to a file and is kept until it is safe, in the order of the writes. Guarded by {@link WriteBack}. */
final class RetainedChunks {
    private final BufferPool pool;
    private final Deque<WriteChunk> chunks = new ArrayDeque<>();
    private long bytes;

    RetainedChunks(BufferPool pool) {
        this.pool = pool;
    }

    /** Octets of the buffers that are kept. */
    long bytes() {
        return bytes;
    }

    void add(WriteChunk chunk) {
        chunks.add(chunk);
        bytes += chunk.data().capacity();
    }

    void release(WriteChunk chunk) {
        if (chunks.remove(chunk)) {
            bytes -= chunk.data().capacity();
            pool.give(chunk.data());
        }
    }

    /**
     * Data that is safe need not be kept, unless something older lies under it: were that written again, this would have
     * to be, too.
     */
    void releaseIfStable(WriteChunk chunk) {
        if (!chunk.isStable()) {
            return;
        }
        for (WriteChunk older : chunks) {
            if (older == chunk) {
                break;
            }
            if (older.overlaps(chunk)) {
                return;
            }
        }
        release(chunk);
    }

    /** What the server has answered. */
    List<WriteChunk> acknowledged() {
        return chunks.stream().filter(WriteChunk::isAcknowledged).toList();
    }

    /**
     * Whether nothing that was answered of the writes before {@code mark} is left.
     *
     * @param replaying what is being written again is not acknowledged, but not safe either
     */
    boolean isSafeUntil(long mark, boolean replaying) {
        return chunks.stream().noneMatch(chunk -> chunk.order() < mark && (replaying || chunk.isAcknowledged()));
    }

    /** Releases what a COMMIT covers of what was answered before it, and returns the rest, which the server has lost. */
    List<WriteChunk> releaseCovered(Collection<WriteChunk> answered, long verifier) {
        List<WriteChunk> lost = new ArrayList<>(0);
        for (WriteChunk chunk : answered) {
            // what lies over something lost is to be written again behind it
            if (chunk.isCoveredBy(verifier) && lost.stream().noneMatch(chunk::overlaps)) {
                release(chunk);
            } else {
                lost.add(chunk);
            }
        }
        return lost;
    }

    /** What is to be written again: all that the verifier does not cover, and what lies over it. */
    List<WriteChunk> rewind(long verifier) {
        List<WriteChunk> again = new ArrayList<>();
        for (WriteChunk chunk : chunks) {
            boolean lost = !chunk.isCoveredBy(verifier);
            if (lost || again.stream().anyMatch(chunk::overlaps)) {
                again.add(chunk);
                chunk.rewind();
            }
        }
        return again;
    }
}
