package io.verbena.fuse.internal.file;

import io.verbena.fuse.internal.kernel.Protocol;
import java.util.ArrayList;
import java.util.List;

/**
 * A byte-range lock of a program of this host.
 *
 * @param start the first octet
 * @param end the last octet; {@link Long#MAX_VALUE} reaches to the end of the file, however it grows
 * @param type {@link Protocol#F_RDLCK} or {@link Protocol#F_WRLCK}; to unlock, {@link Protocol#F_UNLCK}
 * @param pid of the process, for programs that ask who holds the lock
 * @param arrival of the request that has set it
 */
public record LockEntry(LockHolder holder, long start, long end, int type, int pid, long arrival) {
    boolean overlaps(long from, long to) {
        return start <= to && from <= end;
    }

    boolean conflictsWith(LockEntry other) {
        return holder.isFlock() == other.holder.isFlock()
                && !holder.is(other.holder)
                && overlaps(other.start, other.end)
                && (type == Protocol.F_WRLCK || other.type == Protocol.F_WRLCK);
    }

    private LockEntry of(long from, long to) {
        return new LockEntry(holder, from, to, type, pid, arrival);
    }

    /** The locks after a change: it replaces what its owner holds in its range. */
    static List<LockEntry> with(List<LockEntry> held, LockEntry change) {
        List<LockEntry> result = new ArrayList<>();
        for (LockEntry each : held) {
            if (!each.holder.is(change.holder) || !each.overlaps(change.start, change.end)) {
                result.add(each);
                continue;
            }
            if (each.start < change.start) {
                result.add(each.of(each.start, change.start - 1));
            }
            if (each.end > change.end) {
                result.add(each.of(change.end + 1, each.end));
            }
        }
        if (change.type != Protocol.F_UNLCK) {
            result.add(change);
        }
        return result;
    }
}
