package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.complete.RemotePathCompleter;
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

/** Copies files from mounts to mounts. */
@Service
@Command(
        scope = "nfs",
        name = "cp",
        description = "Copies files between mounts, or within one",
        detailedDescription =
                """
            As nfs:put, where both sides are on mounts. What is copied passes through this host, also within one \
            mount, since NFS 4.1 has no operation that copies on the server.
            --resume reads both sides of what is not whole again, and so saves only writing.

            Example: nfs:cp docs:/a.txt docs:/b.txt
                     nfs:cp -r --verify docs:/dir archive:/2024""")
public final class CopyCommand extends TransferCommand {
    @Option(name = "-r", aliases = "--recursive", description = "Directories too, with all that is in them")
    private boolean recursive;

    @Argument(
            name = "FROM... TO",
            description = "NAME:/path of each source, then of the target",
            required = true,
            multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    public CopyCommand() {
        super("cp", "copied");
    }

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        if (paths.size() < 2) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "nfs:cp wants NAME:/path of one or more sources and of the target");
        }
        int last = paths.size() - 1;
        List<Location> sources = new ArrayList<>();
        for (String path : paths.subList(0, last)) {
            sources.addAll(remotes(path));
        }
        transfer(
                sources,
                remote(paths.get(last)),
                options().with(Flag.RECURSIVE, recursive),
                words(recursive, paths),
                out);
    }
}
