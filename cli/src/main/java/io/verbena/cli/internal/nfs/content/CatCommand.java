package io.verbena.cli.internal.nfs.content;

import io.verbena.cli.internal.Locations;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Prints files. */
@Service
@Command(
        scope = "nfs",
        name = "cat",
        description = "Prints files of a mount",
        detailedDescription =
                """
            The octets go to the output as they are.

            Example: nfs:cat docs:/README.txt
                     nfs:cat 'docs:/log/*' | grep ERROR""")
public final class CatCommand extends RemoteCommand {
    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        for (MountedPath file : files(paths)) {
            Location location = Locations.remote(file.remote(), mounts());
            mounts().engine().read(List.of(location), failing(out), CopyOptions.of());
        }
    }
}
