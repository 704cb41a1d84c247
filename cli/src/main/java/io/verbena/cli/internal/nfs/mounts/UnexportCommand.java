package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.complete.ExportNameCompleter;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Removes an export. */
@Service
@Command(
        scope = "nfs",
        name = "unexport",
        description = "Ends an export",
        detailedDescription =
                """
            Clients lose their connection; nothing in the directory is touched.

            Example: nfs:unexport docs""")
public final class UnexportCommand extends CliCommand {
    @Argument(name = "NAME", description = "The export's name", required = true)
    @Completion(ExportNameCompleter.class)
    private String name;

    @Reference
    private Exports exports;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        exports.unexport(name);
        note("unexported " + Text.printable(name));
    }
}
