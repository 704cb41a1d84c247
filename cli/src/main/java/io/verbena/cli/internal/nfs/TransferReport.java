package io.verbena.cli.internal.nfs;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.Text;
import io.verbena.cli.internal.transfer.Progress;
import io.verbena.cli.internal.transfer.Summary;
import io.verbena.cli.internal.transfer.SummaryJson;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Tells what has come of a transfer, or would. Used once, by one thread. */
final class TransferReport {
    private static final int MAX_LISTED = 100;

    private final PrintStream out;
    private final String done;
    private final boolean quiet;
    private final boolean json;
    private final List<String> steps = new ArrayList<>();

    /**
     * @param done what is done, in the past
     * @param quiet whether nothing but failures is printed
     * @param json whether the summary is an object for programs
     */
    TransferReport(PrintStream out, String done, boolean quiet, boolean json) {
        this.out = out;
        this.done = done;
        this.quiet = quiet;
        this.json = json;
    }

    /** Something that would be done. */
    void addStep(String line) {
        if (json) {
            steps.add(line);
        } else {
            say(line);
        }
    }

    /**
     * Tells what would be done.
     *
     * @throws CommandFailure where some of it would fail
     */
    void tellRehearsal(Summary summary) throws CommandFailure {
        if (json) {
            out.println(SummaryJson.of(summary, steps));
        } else {
            say("would have " + done + " " + summary);
        }
        tellFailures(summary);
    }

    /**
     * Tells what was done.
     *
     * @throws CommandFailure where something failed or was left out
     */
    void tell(String start, Summary summary) throws CommandFailure {
        if (json) {
            out.println(SummaryJson.of(summary));
        } else {
            say(start + summary);
        }
        tellFailures(summary);
    }

    private void say(String line) {
        if (!quiet && !json) {
            out.println(line);
        }
    }

    private void tellFailures(Summary summary) throws CommandFailure {
        List<String> lines = new ArrayList<>();
        summary.failed().forEach(failure -> lines.add(failure.path() + ": " + failure.reason()));
        summary.skipped().forEach(path -> lines.add(path + ": left out: neither file, directory nor symbolic link"));
        if (lines.isEmpty()) {
            return;
        }
        for (String line : lines.subList(0, Math.min(MAX_LISTED, lines.size()))) {
            System.err.println(Text.printable(line));
        }
        System.err.flush();
        StringJoiner what = new StringJoiner(" and ");
        if (!summary.failed().isEmpty()) {
            what.add(summary.failed().size() + " could not be " + done);
        }
        if (!summary.skipped().isEmpty()) {
            what.add(summary.skipped().size() + (summary.skipped().size() == 1 ? " was" : " were") + " left out");
        }
        throw new CommandFailure(
                summary.status(),
                what + (lines.size() > MAX_LISTED ? "; --json lists all" : ", see above") + "; "
                        + (summary.files() + summary.unchanged()) + " are done");
    }

    /** The line after these is the failure that they come from. */
    static void tellLeftovers(Progress progress) {
        for (String file : progress.leftovers()) {
            System.err.println(
                    file + ": a temporary file, which could not be removed: remove it when its server is back");
        }
        System.err.flush();
    }
}
