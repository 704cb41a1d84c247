package io.verbena.fuse.internal.file;

import io.verbena.fuse.internal.kernel.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A range that this host locks at the server, for one or more programs.
 *
 * @param start the first octet
 * @param end the last octet, {@link Long#MAX_VALUE} for the end of the file
 * @param exclusive whether it is a write lock
 */
record LockRange(long start, long end, boolean exclusive) {
    /** The size as {@link io.verbena.nfs.RemoteFile#tryLock} takes it. */
    long size() {
        return end == Long.MAX_VALUE ? Long.MAX_VALUE : end - start + 1;
    }

    boolean contains(LockRange other) {
        return start <= other.start && other.end <= end && exclusive == other.exclusive;
    }

    /** The ranges that the programs' locks need in sum, the stronger type where there are several; in order. */
    static List<LockRange> of(List<LockEntry> held) {
        TreeSet<Long> starts = new TreeSet<>();
        for (LockEntry each : held) {
            starts.add(each.start());
            if (each.end() != Long.MAX_VALUE) {
                starts.add(each.end() + 1);
            }
        }
        List<LockRange> result = new ArrayList<>();
        for (Long start : starts) {
            Long next = starts.higher(start);
            long end = next == null ? Long.MAX_VALUE : next - 1;
            boolean any = false;
            boolean exclusive = false;
            for (LockEntry each : held) {
                if (each.overlaps(start, end)) {
                    any = true;
                    exclusive |= each.type() == Protocol.F_WRLCK;
                }
            }
            if (any) {
                append(result, new LockRange(start, end, exclusive));
            }
        }
        return result;
    }

    private static void append(List<LockRange> result, LockRange next) {
        LockRange last = result.isEmpty() ? null : result.get(result.size() - 1);
        if (last != null && last.exclusive == next.exclusive && last.end == next.start - 1) {
            result.set(result.size() - 1, new LockRange(last.start, next.end, last.exclusive));
        } else {
            result.add(next);
        }
    }

    /** Whether others of its type cover this range. */
    boolean isHeldBy(List<LockRange> others) {
        return without(others.stream()
                        .filter(each -> each.exclusive == exclusive)
                        .toList())
                .isEmpty();
    }

    /** What of this range none of the others covers; in order. */
    List<LockRange> without(List<LockRange> others) {
        List<LockRange> left = List.of(this);
        for (LockRange other : others) {
            List<LockRange> next = new ArrayList<>();
            for (LockRange each : left) {
                if (other.end < each.start || each.end < other.start) {
                    next.add(each);
                    continue;
                }
                if (each.start < other.start) {
                    next.add(new LockRange(each.start, other.start - 1, exclusive));
                }
                if (each.end > other.end) {
                    next.add(new LockRange(other.end + 1, each.end, exclusive));
                }
            }
            left = next;
        }
        return left;
    }
}
