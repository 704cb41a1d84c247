package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Removes files. */
@Service
@Command(
        scope = "nfs",
        name = "rm",
        description = "Removes files of a mount",
        detailedDescription =
                """
            Symbolic links are removed themselves, and never followed. Names may be patterns, in quotes at the prompt.

            Example: nfs:rm docs:/old.txt 'docs:/*.tmp'
                     nfs:rm -r docs:/olddir""")
public final class RemoveCommand extends CliCommand {
    @Option(name = "-r", description = "Directories too, with all that is in them")
    private boolean recursive;

    @Option(name = "-f", description = "It is no failure where nothing is there")
    private boolean force;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        for (String path : paths) {
            for (MountedPath mounted : matches(path)) {
                if (mounted.remote().isRoot() || path.matches("(.*[/:])?\\.\\.?/*")) {
                    throw new CommandException(
                            mounted + ": refused: it would remove the directory that paths start from");
                }
                Optional<FileAttributes> attributes = mounted.find(false);
                if (attributes.isPresent()) {
                    remove(mounted, attributes.get().isDirectory());
                } else if (!force) {
                    throw new CommandFailure(ExitStatus.NOT_FOUND, mounted + ": no such file or directory");
                }
            }
        }
    }

    private List<MountedPath> matches(String path) throws IOException, CommandException {
        try {
            return RemotePaths.expand(path, session, mounts);
        } catch (CommandFailure e) {
            if (force && e.status() == ExitStatus.NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
    }

    private void remove(MountedPath path, boolean isDirectory) throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (isDirectory) {
            if (!recursive) {
                throw new IOException(path + ": is a directory; -r removes it with all that is in it");
            }
            for (DirectoryEntry entry : path.list()) {
                remove(path.child(entry.name()), entry.attributes().isDirectory());
            }
        }
        path.run((mount, name) -> mount.remove(name));
    }
}
