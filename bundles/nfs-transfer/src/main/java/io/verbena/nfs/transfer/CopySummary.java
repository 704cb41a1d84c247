package io.verbena.nfs.transfer;

import java.io.IOException;
import java.util.List;

/**
 * The result of a copy.
 *
 * @param files the number of copied regular files and symbolic links
 * @param octets the octets of content that were moved
 * @param nanos the duration in nanoseconds; 0 for a rehearsal
 * @param replacements how often the copy continued with another mount because a mount was replaced
 * @param skipped the objects that are not files, directories or symbolic links, and were left out
 * @param unchanged the number of files that were already equal
 * @param kept the octets of partial files of an earlier copy that were verified and kept
 * @param removed the number of removed files and directories that the source does not have
 * @param besides the properties of files other than their content, and whether the copies have them
 * @param failed the files that could not be copied
 */
public record CopySummary(
        long files,
        long octets,
        long nanos,
        int replacements,
        List<String> skipped,
        long unchanged,
        long kept,
        long removed,
        Kept besides,
        List<CopyFailure> failed) {
    /**
     * The properties of files other than their content, and whether the copies have them.
     *
     * @param linked the number of further names of files that were created as hard links
     * @param separated the number of further names of files that became separate files
     * @param withExtendedAttributes the number of files and directories whose extended attributes the copies lack
     * @param withoutLinkTimes the number of symbolic links whose time of modification the copies lack
     */
    public record Kept(long linked, long separated, long withExtendedAttributes, long withoutLinkTimes) {
        /** No property lost, and no further names: the value for one file with a single name. */
        public static final Kept ALL = new Kept(0, 0, 0, 0);
    }

    private static final double NANOS_PER_SECOND = 1e9;

    public CopySummary {
        skipped = List.copyOf(skipped);
        failed = List.copyOf(failed);
    }

    /** Returns the duration in seconds. */
    public double seconds() {
        return nanos / NANOS_PER_SECOND;
    }

    /** Returns the rate in millions of octets a second. */
    public double megabytesPerSecond() {
        return octets / 1e6 / (Math.max(1, nanos) / NANOS_PER_SECOND);
    }

    /**
     * Throws the failure of the first failed file, if any file failed. For callers that treat the failure of one file
     * as the failure of the copy.
     *
     * @return this summary
     * @throws IOException the cause of the first failed file
     */
    public CopySummary orThrow() throws IOException {
        if (!failed.isEmpty()) {
            throw failed.get(0).cause();
        }
        return this;
    }
}
