package io.verbena.cli.internal.transfer;

import java.util.Locale;

/**
 * What a copy did.
 *
 * @param files regular files and symbolic links
 * @param octets their content
 * @param nanos the time it took
 */
public record Summary(long files, long octets, long nanos) {
    private static final double NANOS_PER_SECOND = 1e9;

    /** In millions of octets a second. */
    public double megabytesPerSecond() {
        return octets / 1e6 / (Math.max(1, nanos) / NANOS_PER_SECOND);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d %s, %d octets, %.3f s, %.1f MB/s",
                files,
                files == 1 ? "file" : "files",
                octets,
                nanos / NANOS_PER_SECOND,
                megabytesPerSecond());
    }
}
