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
 * @param besides what of the files is not their content
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
        Kept besides,
        List<Failure> failed) {
    /**
     * What of files is not their content, and whether copies have it.
     *
     * @param linked further names of files that were made, as hard links
     * @param separated further names of files that became files of their own
     * @param withExtendedAttributes files and directories whose extended attributes the copies have not
     * @param withoutLinkTimes symbolic links whose time of modification the copies have not
     */
    public record Kept(long linked, long separated, long withExtendedAttributes, long withoutLinkTimes) {
        static final Kept ALL = new Kept(0, 0, 0, 0);
    }

    private static final double NANOS_PER_SECOND = 1e9;
    private static final int MAX_NAMED = 5;

    public double seconds() {
        return nanos / NANOS_PER_SECOND;
    }

    /**
     * What the copy ends with: the failures' status where they are alike and nothing else was done. Contents that are not
     * the same always show, and so does what was left out.
     */
    public ExitStatus status() {
        Set<ExitStatus> statuses = EnumSet.noneOf(ExitStatus.class);
        failed.forEach(failure -> statuses.add(failure.status()));
        if (statuses.contains(ExitStatus.CHECKSUM)) {
            return ExitStatus.CHECKSUM;
        }
        if (!skipped.isEmpty()) {
            return ExitStatus.PARTIAL;
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
        addBesides(text);
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

    private void addBesides(StringJoiner text) {
        if (besides.linked() > 0) {
            text.add("made " + counted(besides.linked(), "hard link"));
        }
        if (besides.separated() > 0) {
            text.add(counted(besides.separated(), "hard link") + " copied as "
                    + (besides.separated() == 1 ? "a file of its own" : "files of their own") + ", -H keeps them");
        }
        if (besides.withExtendedAttributes() > 0) {
            text.add("extended attributes of " + files(besides.withExtendedAttributes())
                    + " not kept, as NFS 4.1 has none");
        }
        if (besides.withoutLinkTimes() > 0) {
            text.add("times of " + counted(besides.withoutLinkTimes(), "symbolic link") + " not kept");
        }
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    static String files(long count) {
        return count == 1 ? "1 file" : count + " files";
    }
}
