package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.walk.FileKey;
import java.time.Instant;

/**
 * The attributes of a local or remote file that a copy needs.
 *
 * @param name the name without a path
 * @param type the type of the file
 * @param size the size in octets
 * @param mode the low nine bits of the POSIX mode
 * @param modified the time of modification of the content
 * @param key the identity of a directory, or of a regular file with several names; otherwise null
 */
public record FileEntry(String name, FileType type, long size, int mode, Instant modified, FileKey key) {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    public boolean isRegularFile() {
        return type == FileType.REGULAR;
    }

    public boolean isSymbolicLink() {
        return type == FileType.SYMBOLIC_LINK;
    }

    /**
     * Returns whether the content of another file is assumed equal because size and time are equal. Times are compared
     * to the nanosecond, or to the resolution of the coarser time. A file system that stores seconds, microseconds or
     * units of 100 nanoseconds leaves zeros at the end of a time. Without this rule, a copy on such a file system would
     * never equal its source.
     */
    public boolean isSameBySizeAndTime(FileEntry other) {
        return isRegularFile() && other.isRegularFile() && size == other.size && isSameTime(modified, other.modified);
    }

    public static boolean isSameTime(Instant one, Instant other) {
        long unit = Math.max(unitNanos(one.getNano()), unitNanos(other.getNano()));
        return one.getEpochSecond() == other.getEpochSecond() && one.getNano() / unit == other.getNano() / unit;
    }

    /** Returns the largest power of ten, up to one second, that divides the given nanoseconds. */
    private static long unitNanos(int nanos) {
        long unit = 1;
        while (unit < NANOS_PER_SECOND && nanos % (unit * 10) == 0) {
            unit *= 10;
        }
        return unit;
    }
}
