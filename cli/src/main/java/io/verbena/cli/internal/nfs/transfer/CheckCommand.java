package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ErrorLines;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.complete.AnyPathCompleter;
import io.verbena.nfs.transfer.Check;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopyStep.Kind;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.StringJoiner;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Compares two directory trees without copying. */
@Service
@Command(
        scope = "nfs",
        name = "check",
        description = "Compares a directory with another one, at least one of them on a mount, and copies nothing",
        detailedDescription =
                """
            Compares size and time of modification, or with --checksum the content by SHA-256, and reads then all \
            files whose size is the same, of both sides. Permissions are not compared.
            Each difference is a line: "missing", "differs" or "surplus", and the path in TO. --one-way leaves out \
            what TO has and FROM has not. What --include, --exclude, --files-from, sizes and ages leave out is not \
            compared, on either side.
            The command ends with status 0 where all is the same, 6 where something differs, and 7 where something \
            could not be compared.

            Example: nfs:check /srv/www docs:/www
                     nfs:check --checksum --one-way docs:/2025 archive:/2025""")
public final class CheckCommand extends SelectingCommand {
    @Option(name = "--checksum", aliases = "-c", description = "Compares content by SHA-256 where the size is the same")
    private boolean checksum;

    @Option(name = "--one-way", description = "Does not tell what TO has and FROM has not")
    private boolean oneWay;

    @Option(
            name = "-H",
            aliases = "--hard-links",
            description = "Names of one file in FROM have to be names of one file in TO")
    private boolean hardLinks;

    @Option(name = "--bwlimit", aliases = "--limit", description = "As of nfs:put, for the content that is read")
    private String limit = "";

    @Option(name = "-q", aliases = "--quiet", description = "Quiet: prints no differences")
    private boolean quiet;

    @Option(name = "--json", description = "Prints the result as a JSON object")
    private boolean json;

    @Argument(name = "FROM", description = "NAME:/path or a local path of a directory", required = true)
    @Completion(AnyPathCompleter.class)
    private String from;

    @Argument(index = 1, name = "TO", description = "Likewise, of the directory to compare with it", required = true)
    @Completion(AnyPathCompleter.class)
    private String to;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        Location source = any(from);
        Location target = any(to);
        if (!source.isRemote() && !target.isRemote()) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "neither " + source + " nor " + target + " is on a mount: NAME:/path is");
        }
        CopyOptions options = select(CopyOptions.of()
                .with(Flag.CHECKSUM, checksum)
                .with(Flag.HARD_LINKS, hardLinks)
                .withLimit(LiveLimit.of(limit, invocation(), errorLines()::tell, System::nanoTime)));
        Check check = mounts().transfer(() -> mounts().engine().check(source, target, options));
        List<CopyStep> differences = check.differences().stream()
                .filter(step -> !oneWay || step.kind() != Kind.REMOVE)
                .toList();
        if (json) {
            out.println(CheckJson.of(check, differences));
        } else if (!quiet) {
            differences.forEach(step -> out.println(line(step)));
        }
        tellFailures(check);
        if (!differences.isEmpty()) {
            throw new CommandFailure(ExitStatus.CHECKSUM, summary(check, differences));
        }
        if (!quiet && !json) {
            note(SummaryText.files(check.unchanged()) + " the same");
        }
    }

    private static String line(CopyStep step) {
        return word(step.kind()) + " " + path(step);
    }

    static String word(Kind kind) {
        return switch (kind) {
            case MAKE_DIRECTORY, COPY -> "missing";
            case REPLACE, LINK -> "differs";
            case REMOVE -> "surplus";
            case KEEP -> throw new IllegalArgumentException("a comparison keeps nothing");
        };
    }

    /** Returns the path in the second directory. */
    static String path(CopyStep step) {
        return switch (step.kind()) {
            case COPY, REPLACE -> step.target();
            case MAKE_DIRECTORY -> step.path() + "/";
            case LINK, REMOVE, KEEP -> step.path();
        };
    }

    private static String summary(Check check, List<CopyStep> differences) {
        StringJoiner text = new StringJoiner(", ");
        for (String word : List.of("missing", "differs", "surplus")) {
            long count = differences.stream()
                    .filter(step -> word(step.kind()).equals(word))
                    .count();
            if (count > 0) {
                text.add(count + " " + (word.equals("differs") ? "different" : word));
            }
        }
        return text + ", " + check.unchanged() + " the same";
    }

    private void tellFailures(Check check) throws CommandFailure {
        if (check.failed().isEmpty() && check.skipped().isEmpty()) {
            return;
        }
        ErrorLines lines = errorLines();
        for (CopyFailure failure : check.failed()) {
            lines.tell(failure.path() + ": " + TransferWords.reason(failure));
        }
        for (String path : check.skipped()) {
            lines.tell(path + ": not compared: neither file, directory nor symbolic link");
        }
        long count = (long) check.failed().size() + check.skipped().size();
        throw new CommandFailure(
                ExitStatus.PARTIAL,
                count + " could not be compared, see above; "
                        + check.differences().size() + " differ, " + check.unchanged() + " are the same");
    }
}
