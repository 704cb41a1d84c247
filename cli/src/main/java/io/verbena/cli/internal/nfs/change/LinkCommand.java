package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Creates hard links and symbolic links. */
@Service
@Command(
        scope = "nfs",
        name = "ln",
        description = "Makes links on a mount",
        detailedDescription =
                """
            With -s TARGET is kept as it is, a path on the server without NAME:, seen from the link's directory; \
            without, TARGET is a file of the same mount.
            Into LINK, under the target's name, where that is a directory.

            Example: nfs:ln -s ../shared/a.txt docs:/x/a.txt
                     nfs:ln docs:/a.txt docs:/b.txt""")
public final class LinkCommand extends RemoteCommand {
    @Option(name = "-s", description = "Symbolic")
    private boolean symbolic;

    @Argument(name = "TARGET", description = "What the link leads to", required = true)
    @Completion(RemotePathCompleter.class)
    private String target;

    @Argument(index = 1, name = "LINK", description = "NAME:/path of the link", required = true)
    @Completion(RemotePathCompleter.class)
    private String link;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        MountedPath place = file(link);
        if (place.isDirectory()) {
            String name = target.substring(Math.max(target.lastIndexOf('/'), target.lastIndexOf(':')) + 1);
            place = place.child(OctetText.unescape(name));
        }
        if (symbolic) {
            String prefix = place.remote().mount() + ":";
            if (target.startsWith(prefix)) {
                throw new CommandException("a symbolic link holds a path on the server: leave out '" + prefix + "'");
            }
            place.run((mount, path) -> mount.createSymbolicLink(path, OctetText.unescape(target)));
            return;
        }
        MountedPath existing = file(target);
        if (!existing.remote().mount().equals(place.remote().mount())) {
            throw new CommandException("cannot link " + place + " to " + existing + ": they are different mounts");
        }
        existing.attributes(false);
        place.run((mount, path) -> mount.createLink(path, existing.path()));
    }
}
