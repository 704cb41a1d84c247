package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Globs;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.transfer.Copy;
import io.verbena.cli.internal.transfer.CopyOptions;
import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import io.verbena.cli.internal.transfer.Location;
import io.verbena.cli.internal.transfer.NameFilter;
import io.verbena.cli.internal.transfer.Progress;
import io.verbena.cli.internal.transfer.ProgressPrinter;
import io.verbena.cli.internal.transfer.Summary;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.api.console.Terminal;
import org.apache.karaf.shell.support.CommandException;
import org.jline.reader.LineReader;

/** What all commands that copy have in common. */
abstract class TransferCommand extends CliCommand {
    /** The session's variable that holds the prompt's reader, where there is a prompt. */
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

    @Option(name = "-q", description = "Quiet: prints nothing but failures")
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

    @Option(name = "--include", description = "Only files with such a name: *.txt, /dir/**", multiValued = true)
    private List<String> includes = new ArrayList<>();

    @Option(
            name = "--exclude",
            description = "No files and directories with such a name, even if included",
            multiValued = true)
    private List<String> excludes = new ArrayList<>();

    @Option(name = "--jobs", description = "How many files, or parts of large ones, are moved at a time, 1 to 64")
    private String jobs = "";

    @Option(name = "--limit", description = "The most octets a second, with k, M or G for thousands: 10M")
    private String limit = "";

    @Option(name = "--json", description = "Prints the summary as a JSON object")
    private boolean json;

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    /** What is done, in the past. */
    private final String done;

    /** What is done by the name of the command. */
    private final String verb;

    /**
     * @param verb the name of the command
     * @param done what it has done
     */
    TransferCommand(String verb, String done) {
        this.verb = verb;
        this.done = done;
    }

    final Mounts mounts() {
        return mounts;
    }

    /** A remote path, which may be seen from the session's current directory. */
    final Location remote(String text) throws CommandException {
        return Location.remote(RemotePaths.absolute(text, session), mounts);
    }

    /** As {@link #remote}, with all that a pattern matches. */
    final List<Location> remotes(String text) throws IOException, CommandException {
        if (!Globs.isPattern(text)) {
            return List.of(remote(text));
        }
        List<Location> found = new ArrayList<>();
        for (MountedPath match : RemotePaths.expand(text, session, mounts)) {
            found.add(Location.remote(match.remote(), mounts));
        }
        return found;
    }

    /** A remote path, or a local one. */
    final Location any(String text) throws CommandException {
        return RemotePaths.isRemote(text) ? remote(text) : Location.local(text);
    }

    /** Whether nothing is to be printed. */
    final boolean isQuiet() {
        return quiet;
    }

    final CopyOptions options(Flag... flags) throws CommandException {
        CopyOptions options = CopyOptions.of(flags)
                .with(Flag.FORCE, force)
                .with(Flag.PRESERVE, preserve)
                .with(Flag.HARD_LINKS, hardLinks)
                .with(Flag.VERIFY, verify)
                .with(Flag.RESUME, resume)
                .withLimit(TransferWords.limit(limit))
                .withFilter(new NameFilter(includes, excludes));
        return jobs.isEmpty() ? options : options.withJobs(TransferWords.jobs(jobs));
    }

    /**
     * Refuses what makes no sense with a pipe.
     *
     * @param isInput whether it is read from, so that a file becomes of it, which can be read back
     */
    final void checkForPipe(boolean isInput) throws CommandException {
        refuseWithPipe("--resume", resume);
        refuseWithPipe("--dry-run", dryRun);
        refuseWithPipe("--verify", verify && !isInput);
    }

    private void refuseWithPipe(String option, boolean isSet) throws CommandException {
        if (isSet) {
            throw new CommandFailure(ExitStatus.USAGE, "nfs:" + verb + " with - cannot do " + option);
        }
    }

    /**
     * Copies, and tells how it went.
     *
     * @param words the command's own options and its arguments, to go on with after an interruption
     */
    final void transfer(
            List<Location> sources, Location target, CopyOptions options, List<String> words, PrintStream out)
            throws IOException, InterruptedException, CommandException {
        Copy copy = new Copy(sources, target, options);
        if (dryRun) {
            TransferReport report = report(out);
            report.tellRehearsal(mounts.transfer(() -> copy.rehearse(report::addStep)));
            return;
        }
        int columns = columns();
        // a stream of a command's is not flushed before a line ends
        PrintStream shown = columns > 0 ? session.getConsole() : System.err;
        ProgressPrinter printer = new ProgressPrinter(copy.progress(), shown, columns);
        if (!quiet) {
            copy.onTick(printer::tick);
        }
        Summary summary;
        try {
            summary = run(copy, printer);
        } catch (InterruptedException e) {
            throw interruption("interrupted", e, copy, words);
        } catch (CommandFailure e) {
            throw interruption(e.getMessage(), e, copy, words);
        } catch (IOException e) {
            throw failure(e, copy, words);
        }
        tell(done + " ", summary, out);
    }

    /** The bar has gone before anything is told: the prompt may be where it was, and is drawn again with what is told. */
    private Summary run(Copy copy, ProgressPrinter printer) throws IOException, InterruptedException, CommandException {
        try {
            return mounts.transfer(copy::run);
        } finally {
            printer.end();
            TransferReport.tellLeftovers(copy.progress());
        }
    }

    /** What has come of it, as the options want it told. */
    final void tell(String start, Summary summary, PrintStream out) throws CommandException {
        report(out).tell(start, summary);
    }

    private TransferReport report(PrintStream out) {
        return new TransferReport(out, done, quiet, json);
    }

    /** Columns of a terminal that can draw a line again, or 0. */
    private int columns() {
        Terminal terminal = session.getTerminal();
        return terminal == null || String.valueOf(terminal.getType()).startsWith("dumb") ? 0 : terminal.getWidth();
    }

    /** An interruption, with the command that goes on; other failures as they are. */
    private IOException failure(IOException failure, Copy copy, List<String> words) throws CommandException {
        if (ExitStatus.of(failure) == ExitStatus.INTERRUPTED) {
            throw interruption("interrupted", failure, copy, words);
        }
        return failure;
    }

    private CommandFailure interruption(String reason, Exception cause, Copy copy, List<String> words) {
        List<Location> pair = copy.toSynchronise();
        List<String> command = new ArrayList<>(List.of("nfs:" + (pair.isEmpty() ? verb : "sync"), "--resume"));
        addOption(command, "-f", force);
        addOption(command, "-p", preserve);
        addOption(command, "-H", hardLinks);
        addOption(command, "-q", quiet);
        addOption(command, "--verify", verify);
        addOption(command, "--json", json);
        addValues(command, "--include", includes);
        addValues(command, "--exclude", excludes);
        addValues(command, "--jobs", jobs.isEmpty() ? List.of() : List.of(jobs));
        addValues(command, "--limit", limit.isEmpty() ? List.of() : List.of(limit));
        command.addAll(
                pair.isEmpty() ? words : pair.stream().map(Location::toString).toList());
        Progress progress = copy.progress();
        String done = progress.isPlanned()
                ? " after " + progress.filesDone() + " of " + progress.plannedFiles() + " files"
                : " before anything was " + this.done;
        String line =
                String.join(" ", command.stream().map(TransferWords::quoted).toList());
        String message = reason + done + "; to go on: " + line;
        tellAbovePrompt(message);
        return new CommandFailure(ExitStatus.INTERRUPTED, message, cause);
    }

    /** After Ctrl-C the prompt is back before a command has ended, and what it throws then is not printed. */
    private void tellAbovePrompt(String line) {
        if (session.get(LINE_READER) instanceof LineReader reader) {
            reader.printAbove(Text.printable(line));
        }
    }

    /** The words of a command that may be recursive. */
    static List<String> words(boolean isRecursive, List<String> paths) {
        List<String> words = new ArrayList<>();
        addOption(words, "-r", isRecursive);
        words.addAll(paths);
        return words;
    }

    static void addOption(List<String> command, String option, boolean isSet) {
        if (isSet) {
            command.add(option);
        }
    }

    private static void addValues(List<String> command, String option, List<String> values) {
        for (String value : values) {
            command.add(option);
            command.add(value);
        }
    }
}
