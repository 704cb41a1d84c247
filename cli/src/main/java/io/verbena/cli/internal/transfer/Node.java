package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.FileKey;
import io.verbena.nfs.FileType;
import java.time.Instant;

/**
 * What a copy needs to know of a file, local or remote.
 *
 * @param name without any path
 * @param size in octets
 * @param mode the low nine bits of the POSIX mode
 * @param modified of the content
 * @param key which file it is, where it is a directory, or a regular file with several names; else null
 */
record Node(String name, FileType type, long size, int mode, Instant modified, FileKey key) {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    boolean isRegularFile() {
        return type == FileType.REGULAR;
    }

    boolean isSymbolicLink() {
        return type == FileType.SYMBOLIC_LINK;
    }

    /**
     * Whether another's content is taken for the same. Times are compared to the nanosecond, or as finely as the coarser of
     * the two is: a file system that keeps seconds, microseconds or 100 nanoseconds leaves zeros at the end, and a copy on
     * it would never be the same else.
     */
    boolean isSameBySizeAndTime(Node other) {
        return isRegularFile() && other.isRegularFile() && size == other.size && isSameTime(modified, other.modified);
    }

    static boolean isSameTime(Instant one, Instant other) {
        long unit = Math.max(unitNanos(one.getNano()), unitNanos(other.getNano()));
        return one.getEpochSecond() == other.getEpochSecond() && one.getNano() / unit == other.getNano() / unit;
    }

    /** The largest power of ten, up to a second, that some nanoseconds are a multiple of. */
    private static long unitNanos(int nanos) {
        long unit = 1;
        while (unit < NANOS_PER_SECOND && nanos % (unit * 10) == 0) {
            unit *= 10;
        }
        return unit;
    }
}
