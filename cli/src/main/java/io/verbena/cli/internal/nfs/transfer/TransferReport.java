package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ErrorLines;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopySummary;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Consumer;

/** Reports the result of a transfer or of a rehearsal. Used once, by one thread. */
final class TransferReport {
    private static final int MAX_LISTED = 100;
    private static final int MAX_TOLD = 3;
    private static final String LATER =
            ": remove it when its server is back, or leave it to a copy into that directory an hour later";

    private final PrintStream out;
    private final Consumer<String> notes;
    private final ErrorLines errors;
    private final String done;
    private final boolean quiet;
    private final boolean json;
    private final List<String> steps = new ArrayList<>();

    /**
     * Creates a report.
     *
     * @param out the stream of data: steps of a rehearsal, and JSON
     * @param notes what prints a line beside the data: the summary
     * @param errors tells of failures
     * @param done the past form of the action, for messages
     * @param quiet whether only failures are printed
     * @param json whether the summary is printed as a JSON object
     */
    TransferReport(
            PrintStream out, Consumer<String> notes, ErrorLines errors, String done, boolean quiet, boolean json) {
        this.out = out;
        this.notes = notes;
        this.errors = errors;
        this.done = done;
        this.quiet = quiet;
        this.json = json;
    }

    /** Adds a step of a rehearsal. */
    void addStep(CopyStep step) {
        String line = TransferWords.step(step);
        if (json) {
            steps.add(line);
        } else if (!quiet) {
            out.println(line);
        }
    }

    /**
     * Reports the result of a rehearsal.
     *
     * @throws CommandFailure if a part of the transfer would fail
     */
    void tellRehearsal(CopySummary summary) throws CommandFailure {
        if (json) {
            out.println(SummaryJson.of(summary, steps));
        } else {
            note("would have " + done + " " + SummaryText.of(summary));
        }
        tellFailures(summary);
    }

    /**
     * Reports the result of a transfer.
     *
     * @throws CommandFailure if something failed or was left out
     */
    void tell(String start, CopySummary summary) throws CommandFailure {
        if (json) {
            out.println(SummaryJson.of(summary));
        } else {
            note(start + SummaryText.of(summary));
        }
        tellFailures(summary);
    }

    private void note(String line) {
        if (!quiet) {
            notes.accept(line);
        }
    }

    private void tellFailures(CopySummary summary) throws CommandFailure {
        List<String> lines = new ArrayList<>();
        summary.failed().forEach(failure -> lines.add(failure.path() + ": " + TransferWords.reason(failure)));
        summary.skipped().forEach(path -> lines.add(path + ": left out: neither file, directory nor symbolic link"));
        if (lines.isEmpty()) {
            return;
        }
        lines.subList(0, Math.min(MAX_LISTED, lines.size())).forEach(errors::tell);
        StringJoiner what = new StringJoiner(" and ");
        if (!summary.failed().isEmpty()) {
            what.add(summary.failed().size() + " could not be " + done);
        }
        if (!summary.skipped().isEmpty()) {
            what.add(summary.skipped().size() + (summary.skipped().size() == 1 ? " was" : " were") + " left out");
        }
        throw new CommandFailure(
                SummaryText.status(summary),
                what + (lines.size() > MAX_LISTED ? "; --json lists all" : ", see above") + "; "
                        + (summary.files() + summary.unchanged()) + " are done");
    }

    /**
     * Adds the temporary files that could not be removed to the line of a failure.
     *
     * @throws CommandFailure the failure with these files, if there are any
     */
    static void checkLeftovers(IOException failure, List<String> left) throws CommandFailure {
        if (!left.isEmpty()) {
            String more = left.size() > MAX_TOLD ? " and " + (left.size() - MAX_TOLD) + " more" : "";
            throw new CommandFailure(
                    ExitStatus.of(failure),
                    Failures.of(failure).getMessage() + "; left there: "
                            + Text.printable(String.join(", ", left.subList(0, Math.min(MAX_TOLD, left.size())))) + more
                            + LATER,
                    failure);
        }
    }

    /** Reports the remaining temporary files of a transfer that failed in part or was interrupted. */
    static void tellLeftovers(List<String> left, ErrorLines errors) {
        for (String file : left) {
            errors.tell(file + ": a temporary file, which could not be removed" + LATER);
        }
    }
}
