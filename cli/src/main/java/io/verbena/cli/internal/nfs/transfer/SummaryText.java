package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.transfer.CopySummary;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;

/** Formats a summary for users, and determines the exit status of the command. Stateless. */
public final class SummaryText {
    private static final int MAX_NAMED = 5;

    private SummaryText() {}

    /**
     * Returns the exit status of a copy. The status is {@link ExitStatus#CHECKSUM} if contents differ, otherwise {@link
     * ExitStatus#PARTIAL} if objects were left out. If all failures have the same status, and no file was copied or
     * unchanged, that status is returned. Other failures result in {@link ExitStatus#PARTIAL}.
     */
    static ExitStatus status(CopySummary summary) {
        Set<ExitStatus> statuses = EnumSet.noneOf(ExitStatus.class);
        summary.failed().forEach(failure -> statuses.add(ExitStatus.of(failure.cause())));
        if (statuses.contains(ExitStatus.CHECKSUM)) {
            return ExitStatus.CHECKSUM;
        }
        if (!summary.skipped().isEmpty()) {
            return ExitStatus.PARTIAL;
        }
        boolean isNothingDone = summary.files() + summary.unchanged() == 0;
        return statuses.isEmpty()
                ? ExitStatus.OK
                : isNothingDone && statuses.size() == 1 ? statuses.iterator().next() : ExitStatus.PARTIAL;
    }

    /** Returns one line. The line mentions replaced mounts, and objects that were left out or failed. */
    public static String of(CopySummary summary) {
        StringJoiner text = new StringJoiner("; ");
        String rate = summary.nanos() == 0
                ? ""
                : String.format(Locale.ROOT, ", %.3f s, %.1f MB/s", summary.seconds(), summary.megabytesPerSecond());
        text.add(files(summary.files()) + ", " + summary.octets() + " octets" + rate);
        if (summary.replacements() > 0) {
            text.add("taken up again " + (summary.replacements() == 1 ? "once" : summary.replacements() + " times")
                    + ", as the mount was replaced");
        }
        if (summary.kept() > 0) {
            text.add("kept " + summary.kept() + " octets that were there");
        }
        if (summary.unchanged() > 0) {
            text.add(files(summary.unchanged()) + " the same already");
        }
        if (summary.removed() > 0) {
            text.add("removed " + summary.removed());
        }
        addBesides(text, summary.besides());
        if (!summary.skipped().isEmpty()) {
            text.add("left out " + summary.skipped().size() + " that "
                    + (summary.skipped().size() == 1 ? "is" : "are")
                    + " neither file, directory nor link: "
                    + String.join(
                            ", ",
                            summary.skipped()
                                    .subList(
                                            0,
                                            Math.min(
                                                    MAX_NAMED, summary.skipped().size()))));
        }
        if (!summary.failed().isEmpty()) {
            text.add(summary.failed().size() + " failed");
        }
        return text.toString();
    }

    /** Returns the figures of a copy, one a line. */
    static List<String> figures(CopySummary summary) {
        return List.of(
                "files copied:      " + summary.files(),
                "files unchanged:   " + summary.unchanged(),
                "files failed:      " + summary.failed().size(),
                "objects left out:  " + summary.skipped().size(),
                "objects removed:   " + summary.removed(),
                "hard links made:   " + summary.besides().linked(),
                "octets moved:      " + summary.octets(),
                "octets kept:       " + summary.kept(),
                String.format(Locale.ROOT, "seconds:           %.3f", summary.seconds()),
                String.format(Locale.ROOT, "megabytes/second:  %.1f", summary.megabytesPerSecond()));
    }

    private static void addBesides(StringJoiner text, CopySummary.Kept besides) {
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

    public static String files(long count) {
        return count == 1 ? "1 file" : count + " files";
    }
}
