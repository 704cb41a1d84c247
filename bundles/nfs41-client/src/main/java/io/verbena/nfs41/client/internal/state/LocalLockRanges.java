package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;

/**
 * The ranges of a file that this process has locked or is locking through the mount, by all opens. No two of them
 * overlap, as java.nio requires within a process; so the release of one never unlocks octets of another. Thread safe.
 */
public final class LocalLockRanges {
    @GuardedBy("this")
    private final List<HeldLocks.Range> ranges = new ArrayList<>();

    /**
     * Reserves a range for a lock that is about to be requested.
     *
     * @throws OverlappingFileLockException where another lock of this process overlaps, whatever its type
     */
    public synchronized void reserve(HeldLocks.Range range) {
        if (ranges.stream().anyMatch(range::overlaps)) {
            throw new OverlappingFileLockException();
        }
        ranges.add(range);
    }

    /** Releases a reserved range; called once for each. */
    public synchronized void release(HeldLocks.Range range) {
        ranges.remove(range); // equal ranges would overlap, so there is one
    }
}
