package io.verbena.cli.internal.transfer;

import io.verbena.cli.ExitStatus;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;

/**
 * What a copy did.
 *
 * @param files regular files and symbolic links that were copied
 * @param octets their content, as far as it was moved
 * @param nanos the time it took; 0 where it was only rehearsed
 * @param replacements how often it was taken up again because a mount was replaced under it
 * @param skipped what is neither file, directory nor symbolic link and was left out
 * @param unchanged files that were the same already
 * @param kept octets of files that an earlier copy had left, and that were found to be right
 * @param removed files and directories that the source does not have
 * @param failed what could not be copied
 */
public record Summary(
        long files,
        long octets,
        long nanos,
        int replacements,
        List<String> skipped,
        long unchanged,
        long kept,
        long removed,
        List<Failure> failed) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int MAX_NAMED = 5;

    public double seconds() {
        return nanos / NANOS_PER_SECOND;
    }

    /**
     * What the copy ends with: the failures' status where they are alike and nothing else was done. Contents that are not
     * the same always show.
     */
    public ExitStatus status() {
        Set<ExitStatus> statuses = EnumSet.noneOf(ExitStatus.class);
        failed.forEach(failure -> statuses.add(failure.status()));
        if (statuses.contains(ExitStatus.CHECKSUM)) {
            return ExitStatus.CHECKSUM;
        }
        boolean isNothingDone = files + unchanged == 0;
        return statuses.isEmpty()
                ? ExitStatus.OK
                : isNothingDone && statuses.size() == 1 ? statuses.iterator().next() : ExitStatus.PARTIAL;
    }

    /** In millions of octets a second. */
    public double megabytesPerSecond() {
        return octets / 1e6 / (Math.max(1, nanos) / NANOS_PER_SECOND);
    }

    /** One line; where something was replaced, left out or failed it says so. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner("; ");
        String rate =
                nanos == 0 ? "" : String.format(Locale.ROOT, ", %.3f s, %.1f MB/s", seconds(), megabytesPerSecond());
        text.add(files(files) + ", " + octets + " octets" + rate);
        if (replacements > 0) {
            text.add("taken up again " + (replacements == 1 ? "once" : replacements + " times")
                    + ", as the mount was replaced");
        }
        if (kept > 0) {
            text.add("kept " + kept + " octets that were there");
        }
        if (unchanged > 0) {
            text.add(files(unchanged) + " the same already");
        }
        if (removed > 0) {
            text.add("removed " + removed);
        }
        if (!skipped.isEmpty()) {
            text.add("left out " + skipped.size() + " that " + (skipped.size() == 1 ? "is" : "are")
                    + " neither file, directory nor link: "
                    + String.join(", ", skipped.subList(0, Math.min(MAX_NAMED, skipped.size()))));
        }
        if (!failed.isEmpty()) {
            text.add(failed.size() + " failed");
        }
        return text.toString();
    }

    static String files(long count) {
        return count == 1 ? "1 file" : count + " files";
    }
}
