package io.verbena.cli.internal.transfer;

import io.verbena.nfs.FileType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What a copy needs to know of a file, local or remote.
 *
 * @param name without any path
 * @param size in octets
 * @param mode the low nine bits of the POSIX mode
 * @param modified of the content
 */
record Node(String name, FileType type, long size, int mode, Instant modified) {
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
     * Whether another's content is taken for the same. To the microsecond, which is what Java can set; to the second where
     * one of them has no fraction, as on file systems that keep none.
     */
    boolean isSameBySizeAndTime(Node other) {
        boolean isWhole = isWholeSecond(modified) || isWholeSecond(other.modified);
        ChronoUnit unit = isWhole ? ChronoUnit.SECONDS : ChronoUnit.MICROS;
        return isRegularFile()
                && other.isRegularFile()
                && size == other.size
                && modified.truncatedTo(unit).equals(other.modified.truncatedTo(unit));
    }

    private static boolean isWholeSecond(Instant time) {
        return time.equals(time.truncatedTo(ChronoUnit.SECONDS));
    }
}
