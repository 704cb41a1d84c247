package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
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

/** Changes the owners and groups of files. */
@Service
@Command(
        scope = "nfs",
        name = "chown",
        description = "Changes owners and groups of files of a mount",
        detailedDescription =
                """
            As the server names them: numbers, or user@domain. OWNER, OWNER:GROUP or :GROUP.

            Example: nfs:chown 1000:1000 docs:/a.txt
                     nfs:chown alice@example.org docs:/a.txt""")
public final class ChangeOwnerCommand extends RemoteCommand {
    @Argument(name = "OWNER[:GROUP]", description = "Numbers, or user@domain and group@domain", required = true)
    private String owner;

    @Argument(index = 1, name = "PATH", description = "NAME:/path", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        AttributeChanges changes = changes(owner);
        for (MountedPath file : files(paths)) {
            file.run((mount, path) -> mount.setAttributes(path, changes));
        }
    }

    private static AttributeChanges changes(String text) throws CommandException {
        int colon = text.indexOf(':');
        String user = colon < 0 ? text : text.substring(0, colon);
        String group = colon < 0 ? "" : text.substring(colon + 1);
        if ((user.isEmpty() && group.isEmpty()) || group.indexOf(':') >= 0) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "'" + Text.printable(text) + "' is no OWNER, OWNER:GROUP or :GROUP");
        }
        return AttributeChanges.NONE.withOwner(user.isEmpty() ? null : user).withGroup(group.isEmpty() ? null : group);
    }
}
