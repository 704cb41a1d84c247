package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_INVAL;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.util.NfsError;
import java.util.ArrayList;
import java.util.List;

/**
 * The byte-range locks of one file, with POSIX semantics: the ranges of an owner never overlap, a new range replaces
 * the parts that it covers, and adjacent ranges of one kind are merged (RFC 8881 section 9.1). Guarded by the lock of
 * {@link StateTable}.
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

    /** A conflicting lock of another owner, or null. */
    Range conflict(Client client, Opaque owner, long first, long last, boolean write) {
        for (Range range : ranges) {
            boolean excludes = write || range.write;
            if (excludes && range.overlaps(first, last) && !range.holder.isOwnedBy(client, owner)) {
                return range;
            }
        }
        return null;
    }

    /** How many ranges are locked. */
    int size() {
        return ranges.size();
    }

    /** How many ranges a client has locked. */
    int sizeOf(Client client) {
        return (int)
                ranges.stream().filter(range -> range.holder.client() == client).count();
    }

    /** Whether unlocking a range cuts one in two. */
    boolean isSplit(LockState holder, long first, long last) {
        for (Range range : ranges) {
            if (range.holder == holder
                    && Long.compareUnsigned(range.first, first) < 0
                    && Long.compareUnsigned(last, range.last) < 0) {
                return true;
            }
        }
        return false;
    }

    /** Locks a range that conflicts with no other. This adds at most two ranges. */
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

    /** Returns how many ranges that were. */
    int unlockAll(LockState holder) {
        int before = ranges.size();
        ranges.removeIf(range -> range.holder == holder);
        return before - ranges.size();
    }

    boolean holds(LockState holder) {
        return ranges.stream().anyMatch(range -> range.holder == holder);
    }
}
