package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import java.util.ArrayList;
import java.util.List;

/**
 * The byte-range locks of one file, with POSIX semantics: an owner's ranges never overlap, a new one replaces what it
 * covers, ranges of one kind that touch are one (RFC 8881 section 9.1). Guarded by {@link StateTable}'s lock.
 */
final class RangeLocks {
    /** A length that reaches to the end of the file however it grows. */
    private static final long TO_END = -1;

    private final List<Range> ranges = new ArrayList<>();

    /**
     * A lock.
     *
     * @param first its first octet, unsigned
     * @param last its last octet, unsigned, all ones where it reaches to the end
     */
    record Range(LockState holder, long first, long last, boolean write) {
        boolean overlaps(long otherFirst, long otherLast) {
            return Long.compareUnsigned(first, otherLast) <= 0 && Long.compareUnsigned(otherFirst, last) <= 0;
        }

        long length() {
            return last == -1L ? TO_END : last - first + 1;
        }
    }

    /**
     * The last octet of a range.
     *
     * @throws NfsError {@code INVAL} for an empty range and one that ends beyond 2^64 - 1
     */
    static long last(long first, long length) throws NfsError {
        if (length == TO_END) {
            return -1L;
        }
        long last = first + length - 1;
        if (length == 0 || Long.compareUnsigned(last, first) < 0) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        return last;
    }

    /** Somebody else's lock that is in the way, or null. */
    Range conflict(Client client, Opaque owner, long first, long last, boolean write) {
        for (Range range : ranges) {
            boolean excludes = write || range.write;
            if (excludes && range.overlaps(first, last) && !range.holder.isOwnedBy(client, owner)) {
                return range;
            }
        }
        return null;
    }

    /** Locks a range that nothing is in the way of. */
    void lock(LockState holder, long first, long last, boolean write) {
        unlock(holder, first, last);
        long from = first;
        long to = last;
        for (int i = ranges.size() - 1; i >= 0; i--) {
            Range range = ranges.get(i);
            if (range.holder != holder || range.write != write) {
                continue;
            }
            boolean before = range.last != -1L && range.last + 1 == from;
            boolean behind = to != -1L && to + 1 == range.first;
            if (before || behind) {
                from = before ? range.first : from;
                to = behind ? range.last : to;
                ranges.remove(i);
            }
        }
        ranges.add(new Range(holder, from, to, write));
    }

    /** Unlocks a range; what it cuts through is split. */
    void unlock(LockState holder, long first, long last) {
        List<Range> rest = new ArrayList<>(2);
        for (int i = ranges.size() - 1; i >= 0; i--) {
            Range range = ranges.get(i);
            if (range.holder != holder || !range.overlaps(first, last)) {
                continue;
            }
            ranges.remove(i);
            if (Long.compareUnsigned(range.first, first) < 0) {
                rest.add(new Range(holder, range.first, first - 1, range.write));
            }
            if (Long.compareUnsigned(last, range.last) < 0) {
                rest.add(new Range(holder, last + 1, range.last, range.write));
            }
        }
        ranges.addAll(rest);
    }

    void unlockAll(LockState holder) {
        ranges.removeIf(range -> range.holder == holder);
    }

    boolean holds(LockState holder) {
        return ranges.stream().anyMatch(range -> range.holder == holder);
    }
}
