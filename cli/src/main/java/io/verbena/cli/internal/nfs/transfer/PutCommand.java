package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.Locations;
import io.verbena.cli.internal.complete.AnyPathCompleter;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Copies files of this host to a mount. */
@Service
@Command(
        scope = "nfs",
        name = "put",
        description = "Copies files of this host to a mount",
        detailedDescription =
                """
            A file is copied into REMOTE where that is a directory, else to that name, as cp does; - stands for the \
            input, and needs a name to go to. Permissions and times of modification are kept, to the nanosecond; \
            those of symbolic links, which are copied as such, to the microsecond on this host. -H keeps hard links. \
            What is neither file, directory nor symbolic link is left out and told, and the command then ends with \
            status 7; --exclude takes it out of the copy. Names are any octets: see "Names" in the user guide.
            A file appears under its name only when it is whole. One that fails keeps no other from being copied: \
            those that failed are listed at the end. What the next one would meet too, as a lost server or a full \
            disk, ends it.
            Ctrl-C leaves the incomplete copy of a file of more than 1 MiB under a hidden name, and prints the command \
            that goes on. --resume leaves what is not whole at any failure, and when the process is killed. The next \
            time that is committed, read back from the server, and kept up to the first MiB, in each part of 64 MiB, \
            whose SHA-256 is not that of the source's; files are left out that are there with the same size and time; \
            directories that are there get permissions and times all the same. It is meant for directories that \
            nobody else may write to.
            --bwlimit 10M limits the rate; '08:00,512k 19:00,10M 23:00,off' does so by the time of day, with \
            Sat-10:00,1M for one day; @FILE reads either from a local file, again every second, so that the file \
            changes the rate of a running transfer.
            --files-from FILE copies what the file names, a path below the only source, which is a directory, a line \
            each; a directory stands for all in it, and # or ; begins a comment. With --from0 names end with an octet \
            0 and are any octets. A name that is not there is a failure.
            --retries copies files again, when all others are done, that failed for a passing reason: an I/O error of \
            the server, a source that changed, content that --verify found different.
            --exclude wins over --include. A pattern with a slash in it is compared with the path below the copied \
            directory, any other with each name; * stands for anything but a slash, ** for anything.
            Holes and blocks of zeros are not sent, and become holes.

            Example: nfs:put /tmp/a.txt docs:/
                     nfs:put -r --resume --bwlimit 50M /srv/dir docs:/copy
                     cat /var/log/messages | nfs:put - docs:/messages""")
public final class PutCommand extends TransferCommand {
    @Option(name = "-r", aliases = "--recursive", description = "Directories too, with all that is in them")
    private boolean recursive;

    /** Whether {@code -} is given. The shell's parser treats a leading dash as an option. */
    @Option(name = "-", description = "In place of LOCAL: the input, as of a pipe, becomes the file REMOTE")
    private boolean isInput;

    @Argument(
            name = "LOCAL... REMOTE",
            description = "A local path of each source, then NAME:/path",
            required = true,
            multiValued = true)
    @Completion(AnyPathCompleter.class)
    private List<String> paths;

    public PutCommand() {
        super("put", "put");
    }

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        // The shell sets System.in to the input of this command, as it does with the output.
        InputStream in = System.in;
        if (paths.size() < 2 && !isInput) {
            throw new CommandFailure(ExitStatus.USAGE, "nfs:put wants one or more local paths, then NAME:/path");
        }
        List<String> from = paths.subList(0, paths.size() - 1);
        Location target = remote(paths.get(paths.size() - 1));
        CopyOptions options = options().with(Flag.RECURSIVE, recursive);
        if (isInput) {
            if (!from.isEmpty()) {
                throw new CommandFailure(ExitStatus.USAGE, "nfs:put takes - alone: the input becomes one file");
            }
            checkForPipe(true);
            Copy copy = mounts().engine().copy(in, target, options);
            CopySummary summary;
            try {
                summary = mounts().transfer(copy::run);
            } catch (IOException e) {
                IOException failure = TransferWords.worded(e);
                TransferReport.checkLeftovers(failure, copy.leftovers());
                throw failure;
            } catch (InterruptedException | CancellationException | CommandException e) {
                TransferReport.tellLeftovers(copy.leftovers(), errorLines());
                throw e;
            }
            tell("put ", summary, out);
            return;
        }
        List<Location> sources = new ArrayList<>();
        for (String path : from) {
            sources.add(Locations.local(path, invocation()));
        }
        transfer(sources, target, options, words(recursive, paths), out);
    }
}
