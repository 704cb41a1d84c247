package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.complete.MountNameCompleter;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Removes a mount. */
@Service
@Command(
        scope = "nfs",
        name = "unmount",
        description = "Unmounts",
        detailedDescription =
                """
            Open files are closed first, so that what was written is kept.

            Example: nfs:unmount docs""")
public final class UnmountCommand extends CliCommand {
    @Argument(name = "NAME", description = "The mount's name", required = true)
    @Completion(MountNameCompleter.class)
    private String name;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        mounts.unmount(name);
        note("unmounted " + Text.printable(name));
    }
}
