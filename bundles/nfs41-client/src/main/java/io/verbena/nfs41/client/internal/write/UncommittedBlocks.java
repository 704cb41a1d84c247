package io.verbena.nfs41.client.internal.write;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * The chunks of a file that are kept until they are on stable storage, in the order of the writes. Guarded by {@link
 * WriteBack}, which it does not know.
 */
final class UncommittedBlocks {
    private final Deque<WriteBlock> chunks = new ArrayDeque<>();
    private long bytes;

    /** Octets of the buffers that are kept. */
    long bytes() {
        return bytes;
    }

    void add(WriteBlock chunk) {
        chunks.add(chunk);
        bytes += chunk.data().capacity();
    }

    void release(WriteBlock chunk) {
        if (chunks.remove(chunk)) {
            bytes -= chunk.data().capacity();
            chunk.releaseMemory();
        }
    }

    /**
     * Releases a chunk that is on stable storage, unless it overlaps an older chunk: if that one is written again, this
     * one has to be written again too.
     */
    void releaseIfStable(WriteBlock chunk) {
        if (!chunk.isStable()) {
            return;
        }
        for (WriteBlock older : chunks) {
            if (older == chunk) {
                break;
            }
            if (older.overlaps(chunk)) {
                return;
            }
        }
        release(chunk);
    }

    /** Whether the server has answered any of the chunks. */
    boolean hasAcknowledged() {
        return chunks.stream().anyMatch(WriteBlock::isAcknowledged);
    }

    /** The chunks that the server has answered. */
    List<WriteBlock> acknowledged() {
        return chunks.stream().filter(WriteBlock::isAcknowledged).toList();
    }

    /** The chunks that are sent no more: the server has answered them, or nobody hears of the answer. */
    List<WriteBlock> ended() {
        return chunks.stream()
                .filter(chunk -> chunk.isAcknowledged() || chunk.isForgotten())
                .toList();
    }

    /**
     * Whether no answered chunk with an order below {@code mark} is left.
     *
     * @param replaying whether lost chunks are being written again, which count as left
     */
    boolean isSafeUntil(long mark, boolean replaying) {
        return chunks.stream().noneMatch(chunk -> chunk.order() < mark && (replaying || chunk.isAcknowledged()));
    }

    /** Releases the chunks that a COMMIT covers, and returns the others, which the server has lost. */
    List<WriteBlock> releaseCovered(Collection<WriteBlock> answered, long verifier) {
        List<WriteBlock> lost = new ArrayList<>(0);
        for (WriteBlock chunk : answered) {
            // what lies over something lost is to be written again behind it
            if (chunk.isCoveredBy(verifier) && lost.stream().noneMatch(chunk::overlaps)) {
                release(chunk);
            } else {
                lost.add(chunk);
            }
        }
        return lost;
    }

    /** The chunks to write again: those that the verifier does not cover, and later ones that overlap them. */
    List<WriteBlock> rewind(long verifier) {
        List<WriteBlock> again = new ArrayList<>();
        for (WriteBlock chunk : chunks) {
            boolean lost = !chunk.isCoveredBy(verifier) && !chunk.isForgotten();
            if (lost || again.stream().anyMatch(chunk::overlaps)) {
                again.add(chunk);
                chunk.rewind();
            }
        }
        return again;
    }
}
