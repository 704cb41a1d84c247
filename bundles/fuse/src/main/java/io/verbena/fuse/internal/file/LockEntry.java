package io.verbena.fuse.internal.file;

import io.verbena.fuse.internal.kernel.Protocol;
import java.util.ArrayList;
import java.util.List;

/**
 * A byte-range lock of a program of this host.
 *
 * @param handle of the open file by which it was set; with that one's end it goes, whoever owns it
 * @param owner the kernel's number of the owner: a process for fcntl(2), an open file for flock(2) and the commands
 *     F_OFD_ of fcntl(2)
 * @param isFlock whether it is one of flock(2), which conflicts only with others of flock(2) on this host
 * @param start the first octet
 * @param end the last octet; {@link Long#MAX_VALUE} reaches to the end of the file, however it grows
 * @param type {@link Protocol#F_RDLCK} or {@link Protocol#F_WRLCK}; to unlock, {@link Protocol#F_UNLCK}
 * @param pid of the process, for programs that ask who holds the lock
 */
public record LockEntry(long handle, long owner, boolean isFlock, long start, long end, int type, int pid) {
    boolean overlaps(long from, long to) {
        return start <= to && from <= end;
    }

    private boolean hasOwnerOf(LockEntry other) {
        return owner == other.owner && isFlock == other.isFlock;
    }

    boolean conflictsWith(LockEntry other) {
        return isFlock == other.isFlock
                && owner != other.owner
                && overlaps(other.start, other.end)
                && (type == Protocol.F_WRLCK || other.type == Protocol.F_WRLCK);
    }

    private LockEntry of(long from, long to) {
        return new LockEntry(handle, owner, isFlock, from, to, type, pid);
    }

    /** The locks after a change: it replaces what its owner holds in its range. */
    static List<LockEntry> with(List<LockEntry> held, LockEntry change) {
        List<LockEntry> result = new ArrayList<>();
        for (LockEntry each : held) {
            if (!each.hasOwnerOf(change) || !each.overlaps(change.start, change.end)) {
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
