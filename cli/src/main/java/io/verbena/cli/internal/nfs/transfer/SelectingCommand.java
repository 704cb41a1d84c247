package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Locations;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.FileSelection;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.NameFilter;
import io.verbena.nfs.transfer.NameList;
import io.verbena.text.Globs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** The base class of the commands that copy or compare a selection of files. */
abstract class SelectingCommand extends CliCommand {
    @Option(name = "--include", description = "Only files with such a name: *.txt, /dir/**", multiValued = true)
    private List<String> includes = new ArrayList<>();

    @Option(
            name = "--exclude",
            description = "No files and directories with such a name, even if included",
            multiValued = true)
    private List<String> excludes = new ArrayList<>();

    @Option(
            name = "--files-from",
            description = "Only what this local file, or - for the standard input, names: a path below the source"
                    + " directory in each line")
    private String filesFrom = "";

    @Option(name = "--from0", description = "An octet 0 ends each name of --files-from, in place of a line feed")
    private boolean from0;

    @Option(name = "--min-size", description = "Only files of this size or more, with K, M, G for powers of 1024: 10M")
    private String minSize = "";

    @Option(name = "--max-size", description = "Only files of this size or less")
    private String maxSize = "";

    @Option(
            name = "--min-age",
            description = "Only files modified this long ago or before, with s, m, h, d or w, or until a date: 7d")
    private String minAge = "";

    @Option(name = "--max-age", description = "Only files modified within this time, or since a date: 2026-01-31")
    private String maxAge = "";

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    final Mounts mounts() {
        return mounts;
    }

    final Session session() {
        return session;
    }

    /** Returns the location of a remote path, which may be relative to the session's current directory. */
    final Location remote(String text) throws CommandException {
        return Locations.remote(RemotePaths.absolute(text, session), mounts);
    }

    /** Returns the locations that {@link #remote} would return for all matches of a pattern. */
    final List<Location> remotes(String text) throws IOException, CommandException {
        if (!Globs.isPattern(text)) {
            return List.of(remote(text));
        }
        List<Location> found = new ArrayList<>();
        for (MountedPath match : RemotePaths.expand(text, session, mounts)) {
            found.add(Locations.remote(match.remote(), mounts));
        }
        return found;
    }

    /** Returns the location of a remote or local path. */
    final Location any(String text) throws CommandException {
        return RemotePaths.isRemote(text) ? remote(text) : Locations.local(text, invocation());
    }

    /** Returns options with the selection of files that the user has asked for. */
    final CopyOptions select(CopyOptions options) throws IOException, CommandException {
        if (from0 && filesFrom.isEmpty()) {
            throw new CommandFailure(ExitStatus.USAGE, "--from0 is about the names of --files-from, which is missing");
        }
        FileSelection selection = FileSelection.ALL;
        long min = minSize.isEmpty() ? 0 : Quantities.octets("--min-size", minSize);
        long max = maxSize.isEmpty() ? Long.MAX_VALUE : Quantities.octets("--max-size", maxSize);
        if (min > max) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--min-size " + minSize + " is above --max-size " + maxSize + ": no file is both");
        }
        selection = selection.withSizes(min, max);
        Instant now = Instant.now();
        Instant from = maxAge.isEmpty() ? Instant.MIN : Quantities.time("--max-age", maxAge, now);
        Instant until = minAge.isEmpty() ? Instant.MAX : Quantities.time("--min-age", minAge, now);
        if (from.isAfter(until)) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--min-age " + minAge + " is longer ago than --max-age " + maxAge + ": no file is both");
        }
        selection = selection.withTimes(from, until);
        if (!filesFrom.isEmpty()) {
            selection = selection.withNames(names());
        }
        return options.withFilter(new NameFilter(includes, excludes)).withSelection(selection);
    }

    private NameList names() throws IOException, CommandException {
        try {
            if (filesFrom.equals("-")) {
                return NameList.read(System.in, from0); // the shell sets it to the input of this command
            }
            try (InputStream in = Files.newInputStream(TransferWords.localPath(filesFrom, invocation()))) {
                return NameList.read(in, from0);
            }
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--files-from " + Text.printable(filesFrom) + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw TransferWords.about("--files-from", filesFrom, e);
        }
    }

    /** Returns whether files are selected otherwise than by patterns, which a pipe cannot do. */
    final boolean isSelective() {
        return !(filesFrom + minSize + maxSize + minAge + maxAge).isEmpty();
    }
}
