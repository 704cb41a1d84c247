package io.verbena.nfs41.client.internal;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The chunks of a file that the server has not answered, in the order of the writes. The server orders nothing between
 * slots (RFC 8881 section 2.10.6.1), so a chunk that overlaps an earlier one is held back until that one is answered.
 * Guarded by {@link WriteBack}.
 */
final class UnansweredChunks {
    private final Set<WriteChunk> chunks = new LinkedHashSet<>();
    private final Set<WriteChunk> heldBack = new LinkedHashSet<>();
    /** All chunks lie between these two: what a file is written in order lies behind. */
    private long low = Long.MAX_VALUE;

    private long high = Long.MIN_VALUE;

    /**
     * Takes a chunk that is later than all others.
     *
     * @return whether it may be sent now; else {@link #answered} tells when
     */
    boolean add(WriteChunk chunk) {
        boolean apart = chunk.offset() >= high || chunk.end() <= low;
        boolean free = apart || chunks.stream().noneMatch(chunk::overlaps);
        chunks.add(chunk);
        low = Math.min(low, chunk.offset());
        high = Math.max(high, chunk.end());
        if (!free) {
            heldBack.add(chunk);
        }
        return free;
    }

    /**
     * Forgets a chunk, which was answered or has failed.
     *
     * @param ready gets the chunks that may be sent now
     */
    void answered(WriteChunk chunk, Collection<WriteChunk> ready) {
        chunks.remove(chunk);
        if (chunks.isEmpty()) {
            low = Long.MAX_VALUE;
            high = Long.MIN_VALUE;
        }
        if (heldBack.isEmpty()) {
            return;
        }
        for (WriteChunk held : heldBack) {
            if (held.overlaps(chunk) && !overlapsEarlier(held)) {
                ready.add(held);
            }
        }
        heldBack.removeAll(ready);
    }

    private boolean overlapsEarlier(WriteChunk held) {
        for (WriteChunk earlier : chunks) {
            if (earlier == held) {
                return false;
            }
            if (earlier.overlaps(held)) {
                return true;
            }
        }
        return false;
    }
}
