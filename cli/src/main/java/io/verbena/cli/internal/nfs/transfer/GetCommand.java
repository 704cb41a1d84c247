package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.Locations;
import io.verbena.cli.internal.complete.AnyPathCompleter;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Copies files from a mount to this host. */
@Service
@Command(
        scope = "nfs",
        name = "get",
        description = "Copies files from a mount to this host",
        detailedDescription =
                """
            A file is copied into LOCAL where that is a directory, else to that name, as cp does; to - it goes to the \
            output. Permissions and times of modification are kept, to the nanosecond; those of symbolic links, which \
            are copied as such, to the microsecond on this host. -H keeps hard links. What is neither file, directory \
            nor symbolic link is left out and told, and the command then ends with status 7; --exclude takes it out \
            of the copy. Names are any octets: see "Names" in the user guide.
            A file appears under its name only when it is whole. One that fails keeps no other from being copied: \
            those that failed are listed at the end. What the next one would meet too, as a lost server or a full \
            disk, ends it.
            Ctrl-C leaves the incomplete copy of a file of more than 1 MiB under a hidden name, and prints the command \
            that goes on. --resume leaves what is not whole at any failure, and when the process is killed. The next \
            time each MiB of it is kept whose digest is that of what was read, in each part of 64 MiB up to the first \
            that differs: SHA-256 with --resume, CRC-32C without. Files are left out that are there with the same size \
            and time; directories that are there get permissions and times all the same. It is meant for directories \
            that nobody else may write to.
            For --bwlimit, --files-from and --retries see nfs:put.
            --exclude wins over --include. A pattern with a slash in it is compared with the path below the copied \
            directory, any other with each name; * stands for anything but a slash, ** for anything.
            Zeros become holes. Those of the server have to be read all the same, as NFS 4.1 does not tell where they \
            are.

            Example: nfs:get docs:/a.txt docs:/b.txt /tmp
                     nfs:get -r --verify docs:/dir /srv/copy
                     nfs:get docs:/dump.gz - | gunzip""")
public final class GetCommand extends TransferCommand {
    @Option(name = "-r", aliases = "--recursive", description = "Directories too, with all that is in them")
    private boolean recursive;

    @Argument(
            name = "REMOTE... LOCAL",
            description = "NAME:/path of each source, then a local path, or - for the output",
            required = true,
            multiValued = true)
    @Completion(AnyPathCompleter.class)
    private List<String> paths;

    public GetCommand() {
        super("get", "got");
    }

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        if (paths.size() < 2) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "nfs:get wants NAME:/path of one or more sources, then a local path");
        }
        List<Location> sources = new ArrayList<>();
        for (String path : paths.subList(0, paths.size() - 1)) {
            sources.addAll(remotes(path));
        }
        String last = paths.get(paths.size() - 1);
        CopyOptions options = options().with(Flag.RECURSIVE, recursive);
        if (last.equals("-")) {
            checkForPipe(false);
            mounts().engine().read(sources, failing(out), options);
            return;
        }
        transfer(sources, Locations.local(last, invocation()), options, words(recursive, paths), out);
    }
}
