package io.verbena.nfs41.client.internal.write;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The chunks of a file that the server has not answered, in the order of the writes. The server orders nothing between
 * slots (RFC 8881 section 2.10.6.1), so a chunk that overlaps an earlier one is held back until that one is answered.
 * Guarded by {@link WriteBack}, which it does not know.
 */
final class UnansweredBlocks {
    private final Set<WriteBlock> chunks = new LinkedHashSet<>();
    private final Set<WriteBlock> heldBack = new LinkedHashSet<>();
    /** All chunks lie between {@code low} and {@code high}. Sequential writes lie behind {@code high}. */
    private long low = Long.MAX_VALUE;

    private long high = Long.MIN_VALUE;

    /**
     * Adds a chunk with a greater order than all others.
     *
     * @return whether the chunk may be sent now; else a later call of {@link #answered} returns it
     */
    boolean add(WriteBlock chunk) {
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

    /** Removes the chunk that was added last, which is not sent. */
    void remove(WriteBlock chunk) {
        chunks.remove(chunk);
        heldBack.remove(chunk);
    }

    /**
     * Removes a chunk that was answered or has failed.
     *
     * @param ready gets the chunks that may be sent now
     */
    void answered(WriteBlock chunk, Collection<WriteBlock> ready) {
        chunks.remove(chunk);
        if (chunks.isEmpty()) {
            low = Long.MAX_VALUE;
            high = Long.MIN_VALUE;
        }
        if (heldBack.isEmpty()) {
            return;
        }
        for (WriteBlock held : heldBack) {
            if (held.overlaps(chunk) && !overlapsEarlier(held)) {
                ready.add(held);
            }
        }
        heldBack.removeAll(ready);
    }

    private boolean overlapsEarlier(WriteBlock held) {
        for (WriteBlock earlier : chunks) {
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
