package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.RemotePaths;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Prints the current directory. */
@Service
@Command(
        scope = "nfs",
        name = "pwd",
        description = "Prints the directory that nfs:cd has set",
        detailedDescription = """
            Example: nfs:pwd""")
public final class PrintDirectoryCommand extends CliCommand {
    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws CommandException {
        out.println(RemotePaths.current(session)
                .orElseThrow(() -> new CommandFailure(
                        ExitStatus.FAILED, "no current directory on a mount: nfs:cd NAME:/path sets one")));
    }
}
