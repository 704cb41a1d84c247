package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.internal.FileMode;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.nfs.AttributeChanges;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Changes the modes of files. */
@Service
@Command(
        scope = "nfs",
        name = "chmod",
        description = "Changes modes of files of a mount",
        detailedDescription =
                """
            MODE is octal like 644, or changes like u+rwx,go-w as chmod(1) takes them.

            Example: nfs:chmod u+x,go-w docs:/run.sh
                     nfs:chmod 644 'docs:/*.txt'""")
public final class ChangeModeCommand extends RemoteCommand {
    @Argument(name = "MODE", description = "Octal or symbolic", required = true)
    private String mode;

    @Argument(index = 1, name = "PATH", description = "NAME:/path", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        FileMode change = FileMode.parse(mode);
        for (MountedPath file : files(paths)) {
            int changed = change.apply(file);
            file.run((mount, path) -> mount.setAttributes(path, AttributeChanges.NONE.withMode(changed)));
        }
    }
}
