package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Quantities;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.console.Terminal;
import org.apache.karaf.shell.support.CommandException;
import org.jline.reader.LineReader;

/** The base class of all commands that copy. */
abstract class TransferCommand extends SelectingCommand {
    /** The variable of the session that contains the reader of the prompt, if there is a prompt. */
    private static final String LINE_READER = ".jline.reader";

    @Option(name = "-f", description = "Replaces files too that may not be written")
    private boolean force;

    @Option(name = "-p", description = "Keeps owner, group, time of access and all bits of the mode too, if permitted")
    private boolean preserve;

    @Option(
            name = "-H",
            aliases = "--hard-links",
            description = "Keeps hard links: names of one file become names of one file, as far as all are copied")
    private boolean hardLinks;

    @Option(name = "-q", aliases = "--quiet", description = "Quiet: prints nothing but failures")
    private boolean quiet;

    @Option(name = "-n", aliases = "--dry-run", description = "Only prints what would be done")
    private boolean dryRun;

    @Option(name = "--verify", description = "Reads both sides again afterwards and compares their SHA-256")
    private boolean verify;

    @Option(
            name = "--resume",
            description =
                    "Takes up what an earlier transfer has left, after comparing it, and leaves out what it has done")
    private boolean resume;

    @Option(
            name = "--jobs",
            description = "How many files, or parts of large ones, are moved at a time, 1 to 64; by default as many"
                    + " small files as the servers take requests")
    private String jobs = "";

    @Option(
            name = "--bwlimit",
            aliases = "--limit",
            description = "The most octets a second, with k, M or G for thousands: 10M; or a timetable, as"
                    + " '08:00,512k 23:00,off'; or @FILE, whose content is read again every second")
    private String limit = "";

    @Option(
            name = "--retries",
            description = "How often a file is copied again that has failed for a passing reason, 0 to 100")
    private String retries = "";

    @Option(
            name = "--backup-dir",
            description = "Keeps files that are replaced or removed in this directory, on the mount of the target")
    private String backupDir = "";

    @Option(name = "--progress", aliases = "-P", description = "Shows the progress with -q too")
    private boolean showsProgress;

    @Option(name = "--stats", description = "Prints figures at the end to the standard error, one a line")
    private boolean stats;

    @Option(name = "--log-file", description = "Adds a line to this local file for each step and each failure")
    private String logFile = "";

    @Option(name = "--json", description = "Prints the summary as a JSON object")
    private boolean json;

    /** The shortest silence that is shown, because an answer may take a moment. */
    private static final Duration SHOWN_SILENCE = Duration.ofSeconds(2);

    /** The past form of the action, for messages. */
    private final String done;

    /** The name of the command. */
    private final String verb;

    /**
     * Creates a command.
     *
     * @param verb the name of the command
     * @param done the past form of the action, for messages
     */
    TransferCommand(String verb, String done) {
        this.verb = verb;
        this.done = done;
    }

    /**
     * The information to continue an interrupted copy.
     *
     * @param copy the interrupted copy
     * @param pair the source and the target from which a synchronisation continues
     * @param words the words to repeat the same command
     */
    private record Rest(Copy copy, List<Location> pair, List<String> words) {}

    /** Returns whether nothing is to be printed. */
    final boolean isQuiet() {
        return quiet;
    }

    final CopyOptions options(Flag... flags) throws IOException, CommandException {
        checkTogether();
        CopyOptions options = select(CopyOptions.of(flags)
                .with(Flag.FORCE, force)
                .with(Flag.PRESERVE, preserve)
                .with(Flag.HARD_LINKS, hardLinks)
                .with(Flag.VERIFY, verify)
                .with(Flag.RESUME, resume)
                .with(Flag.KEEP_PARTIAL, true)
                .withLimit(LiveLimit.of(limit, invocation(), errorLines()::tell, System::nanoTime)));
        if (!retries.isEmpty()) {
            options = options.withRetries(
                    Quantities.number("--retries", retries, "it is a number", 0, CopyOptions.MAX_RETRIES));
        }
        if (!backupDir.isEmpty()) {
            options = options.withBackup(any(backupDir));
        }
        return jobs.isEmpty() ? options : options.withJobs(TransferWords.jobs(jobs));
    }

    /** Rejects options that contradict each other. */
    private void checkTogether() throws CommandFailure {
        refuseInRehearsal("--log-file", !logFile.isEmpty());
        refuseInRehearsal("--progress", showsProgress);
        refuseInRehearsal("--stats", stats);
    }

    private void refuseInRehearsal(String option, boolean isSet) throws CommandFailure {
        if (dryRun && isSet) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--dry-run copies nothing that " + option + " could tell: leave one of them out");
        }
    }

    /**
     * Rejects options that are impossible with a pipe.
     *
     * @param isInput whether the command reads from the pipe and creates a file, which can be read back
     */
    final void checkForPipe(boolean isInput) throws CommandException {
        refuseWithPipe("--resume", resume);
        refuseWithPipe("--dry-run", dryRun);
        refuseWithPipe("--verify", verify && !isInput);
        refuseWithPipe("--backup-dir", !backupDir.isEmpty());
        refuseWithPipe("--retries", !retries.isEmpty());
        refuseWithPipe("--log-file", !logFile.isEmpty());
        refuseWithPipe("--files-from, sizes or ages", isSelective());
    }

    private void refuseWithPipe(String option, boolean isSet) throws CommandException {
        if (isSet) {
            throw new CommandFailure(ExitStatus.USAGE, "nfs:" + verb + " with - cannot do " + option);
        }
    }

    /**
     * Copies, and reports the result.
     *
     * @param words the command's own options and its arguments, to continue after an interruption
     */
    final void transfer(
            List<Location> sources, Location target, CopyOptions options, List<String> words, PrintStream out)
            throws IOException, InterruptedException, CommandException {
        Copy copy = mounts().engine().copy(sources, target, options);
        if (dryRun) {
            TransferReport report = report(out);
            report.tellRehearsal(mounts().transfer(() -> copy.rehearse(report::addStep)));
            return;
        }
        int columns = columns();
        // The stream of a command is flushed only at the end of a line.
        PrintStream shown = columns > 0 ? session().getConsole() : System.err;
        ProgressPrinter printer = new ProgressPrinter(shown, columns, TransferCommand::silence, System::nanoTime);
        if (showsProgress || !(quiet || isQuietSession())) {
            copy.addListener(printer);
        }
        Rest rest = new Rest(copy, List.of(sources.get(0), target), words);
        if (logFile.isEmpty()) {
            tellAll(run(copy, printer, rest), out);
            return;
        }
        try (TransferLog log = new TransferLog(logFile, invocation(), errorLines()::tell, Instant::now)) {
            copy.addListener(log);
            log.add("nfs:" + verb + " " + String.join(" ", optionsAnd(words, "")));
            CopySummary summary;
            try {
                summary = run(copy, printer, rest);
            } catch (IOException | CommandException e) {
                log.add("ended: " + Failures.of(e).getMessage());
                throw e;
            }
            log.add(done + " " + SummaryText.of(summary));
            tellAll(summary, out);
        }
    }

    private void tellAll(CopySummary summary, PrintStream out) throws CommandException {
        if (stats) {
            SummaryText.figures(summary).forEach(errorLines()::tell);
        }
        tell(done + " ", summary, out);
    }

    /** Runs the copy. After an interruption, the failure has the command to continue. */
    private CopySummary run(Copy copy, ProgressPrinter printer, Rest rest) throws IOException, CommandException {
        try {
            return run(copy, printer);
        } catch (InterruptedException e) {
            throw interruption("interrupted", e, rest);
        } catch (CommandFailure | CancellationException e) {
            throw interruption(e.getMessage(), e, rest);
        } catch (IOException e) {
            throw failure(e, rest);
        }
    }

    /**
     * Runs the copy. The progress bar is removed before anything is reported, because the prompt may be in its place
     * and is redrawn with each report.
     */
    private CopySummary run(Copy copy, ProgressPrinter printer)
            throws IOException, InterruptedException, CommandException {
        boolean isTold = true;
        try {
            return mounts().transfer(copy::run);
        } catch (IOException e) {
            isTold = ExitStatus.of(e) == ExitStatus.INTERRUPTED; // otherwise the line of the failure reports them
            throw e;
        } finally {
            printer.end();
            if (isTold) {
                TransferReport.tellLeftovers(copy.leftovers(), errorLines());
            }
        }
    }

    /** Returns the text to show in place of a rate if a server does not respond. */
    private static Optional<String> silence(Progress progress) {
        Instant now = Instant.now();
        return progress.unresponsiveServer()
                .filter(silence -> silence.length(now).compareTo(SHOWN_SILENCE) >= 0)
                .map(silence -> Text.silence(silence, now));
    }

    /** Reports the result according to the options. */
    final void tell(String start, CopySummary summary, PrintStream out) throws CommandException {
        report(out).tell(start, summary);
    }

    private TransferReport report(PrintStream out) {
        return new TransferReport(out, this::note, errorLines(), done, quiet, json);
    }

    /** Returns the width of a terminal that can redraw a line, in columns; otherwise 0. */
    private int columns() {
        Terminal terminal = session().getTerminal();
        return terminal == null || String.valueOf(terminal.getType()).startsWith("dumb") ? 0 : terminal.getWidth();
    }

    /** Returns an interruption with the command to continue, or another failure unchanged. */
    private IOException failure(IOException failure, Rest rest) throws CommandException {
        if (ExitStatus.of(failure) == ExitStatus.INTERRUPTED) {
            throw interruption("interrupted", failure, rest);
        }
        IOException worded = TransferWords.worded(failure);
        TransferReport.checkLeftovers(worded, rest.copy().leftovers());
        return worded;
    }

    /** Returns the options that were given, other than one, and words behind them. */
    private List<String> optionsAnd(List<String> words, String without) {
        List<String> all =
                new ArrayList<>(OptionWords.of(this, without, TransferCommand.class, SelectingCommand.class));
        all.addAll(words);
        return all.stream().map(TransferWords::quoted).toList();
    }

    private CommandFailure interruption(String reason, Exception cause, Rest rest) {
        List<Location> pair = rest.copy().makesTarget() ? rest.pair() : List.of();
        List<String> command = new ArrayList<>(List.of("nfs:" + (pair.isEmpty() ? verb : "sync"), "--resume"));
        command.addAll(optionsAnd(
                pair.isEmpty()
                        ? rest.words()
                        : pair.stream().map(Location::toString).toList(),
                "--resume"));
        Progress progress = rest.copy().progress();
        String done = progress.isPlanned()
                ? " after " + progress.files() + " of " + progress.plannedFiles() + " files"
                : " before anything was " + this.done;
        String message = reason + done + "; to go on: " + String.join(" ", command);
        tellAbovePrompt(message);
        return new CommandFailure(ExitStatus.INTERRUPTED, message, cause);
    }

    /**
     * Prints a line above the prompt. After Ctrl-C the prompt returns before the command has ended, and the shell does
     * not print what the command throws then.
     */
    private void tellAbovePrompt(String line) {
        if (session().get(LINE_READER) instanceof LineReader reader) {
            reader.printAbove(Text.printable(line));
        }
    }

    /** Returns the words of a command that may be recursive. */
    static List<String> words(boolean isRecursive, List<String> paths) {
        List<String> words = new ArrayList<>();
        if (isRecursive) {
            words.add("-r");
        }
        words.addAll(paths);
        return words;
    }
}
