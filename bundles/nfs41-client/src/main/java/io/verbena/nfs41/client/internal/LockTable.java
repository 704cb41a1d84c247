package io.verbena.nfs41.client.internal;

import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;

/**
 * The ranges of a file that this process has locked through a mount, or waits for, by whatever open. No two overlap, as
 * java.nio has it for a process, so that the end of one never gives away octets of another. Thread safe.
 */
final class LockTable {
    // guarded by this
    private final List<HeldLocks.Range> ranges = new ArrayList<>();

    /**
     * Keeps a range for a lock that is about to be asked for.
     *
     * @throws OverlappingFileLockException where another lock of this process overlaps, whatever its type
     */
    synchronized void reserve(HeldLocks.Range range) {
        if (ranges.stream().anyMatch(range::overlaps)) {
            throw new OverlappingFileLockException();
        }
        ranges.add(range);
    }

    /** Gives up a range that was reserved; called once for it. */
    synchronized void release(HeldLocks.Range range) {
        ranges.remove(range); // there are no two that are equal: they would overlap
    }
}
