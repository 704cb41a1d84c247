package io.verbena.cli.internal.transfer;

import java.util.List;
import java.util.Locale;

/**
 * What a copy did.
 *
 * @param files regular files and symbolic links
 * @param octets their content
 * @param nanos the time it took
 * @param replacements how often it was taken up again because a mount was replaced under it
 * @param skipped what is neither file, directory nor symbolic link and was left out
 */
public record Summary(long files, long octets, long nanos, int replacements, List<String> skipped) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int MAX_NAMED = 5;

    /** In millions of octets a second. */
    public double megabytesPerSecond() {
        return octets / 1e6 / (Math.max(1, nanos) / NANOS_PER_SECOND);
    }

    /** One line; where something was replaced or left out it says so. */
    @Override
    public String toString() {
        String left = skipped.isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; left out %d that %s neither file, directory nor link: %s",
                        skipped.size(),
                        skipped.size() == 1 ? "is" : "are",
                        String.join(", ", skipped.subList(0, Math.min(MAX_NAMED, skipped.size()))));
        String again = replacements == 0
                ? ""
                : "; taken up again " + (replacements == 1 ? "once" : replacements + " times")
                        + ", as the mount was replaced";
        return String.format(
                Locale.ROOT,
                "%d %s, %d octets, %.3f s, %.1f MB/s%s%s",
                files,
                files == 1 ? "file" : "files",
                octets,
                nanos / NANOS_PER_SECOND,
                megabytesPerSecond(),
                again,
                left);
    }
}
