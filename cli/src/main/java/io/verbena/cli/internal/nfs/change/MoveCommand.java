package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.nfs.transfer.walk.FileKey;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.NoSuchFileException;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Renames files. */
@Service
@Command(
        scope = "nfs",
        name = "mv",
        description = "Renames a file within a mount",
        detailedDescription =
                """
            Into TO where that is a directory; a file at the new name is replaced. Two names of one file, as of hard \
            links, stay both, and the command fails.

            Example: nfs:mv docs:/draft.txt docs:/final.txt""")
public final class MoveCommand extends RemoteCommand {
    @Argument(name = "FROM", description = "NAME:/path", required = true)
    @Completion(RemotePathCompleter.class)
    private String from;

    @Argument(index = 1, name = "TO", description = "NAME:/path on the same mount", required = true)
    @Completion(RemotePathCompleter.class)
    private String to;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        MountedPath source = file(from);
        MountedPath target = file(to);
        if (!source.remote().mount().equals(target.remote().mount())) {
            throw new CommandException(
                    "cannot move " + source + " to " + target + ": they are different mounts; nfs:cp and nfs:rm do it");
        }
        MountedPath place = target.isDirectory() ? target.child(source.remote().name()) : target;
        FileKey moved = FileKey.of(source.attributes(false));
        if (place.find(false).map(FileKey::of).filter(moved::equals).isPresent()) {
            throw new CommandFailure(ExitStatus.FAILED, source + " and " + place + " are the same file");
        }
        try {
            source.run((mount, path) -> mount.rename(path, place.path()));
        } catch (IOException e) {
            // The server does not report which of the two is missing.
            boolean isTarget = ExitStatus.of(e) == ExitStatus.NOT_FOUND
                    && source.find(false).isPresent();
            throw isTarget ? Failures.about(place.toString(), new NoSuchFileException(place.path())) : e;
        }
    }
}
