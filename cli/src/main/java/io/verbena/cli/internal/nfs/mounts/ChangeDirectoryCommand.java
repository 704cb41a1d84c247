package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.RemotePath;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.NotDirectoryException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Changes the current directory. */
@Service
@Command(
        scope = "nfs",
        name = "cd",
        description = "Changes the directory on a mount that relative paths start from",
        detailedDescription =
                """
            For this session. Where only a remote path can stand, 'x' is then seen from there and '/x' from the \
            mount's root; where local paths can stand too, ':x' and ':/x' are.
            Without PATH it is the root of the same mount. The variable NFS_PWD holds it.

            Example: nfs:cd docs:/reports; nfs:ls 2026; nfs:get :2026/a.csv /tmp""")
public final class ChangeDirectoryCommand extends RemoteCommand {
    @Option(name = "-", description = "To the directory before, which is printed")
    private boolean back;

    @Argument(name = "PATH", description = "A directory: NAME:/path, or relative")
    @Completion(RemotePathCompleter.class)
    private String path;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        RemotePath target = lexical(RemotePaths.resolve(text(), session()));
        MountedPath directory = new MountedPath(mounts(), mounts().get(target.mount()), target);
        if (!directory.attributes(true).isDirectory()) {
            throw new IOException(directory + ": not a directory", new NotDirectoryException(target.path()));
        }
        Object before = session().get(RemotePaths.CURRENT);
        session().put(RemotePaths.CURRENT, target.toString());
        if (before != null) {
            session().put(RemotePaths.PREVIOUS, before);
        }
        if (back) {
            out.println(target);
        }
    }

    private String text() throws CommandException {
        if (back) {
            if (session().get(RemotePaths.PREVIOUS) instanceof String previous) {
                return previous;
            }
            throw new CommandFailure(ExitStatus.USAGE, "nfs:cd -: there is no directory before this one yet");
        }
        return path == null ? ":/" : path;
    }

    /**
     * Returns the path without {@code .} and {@code ..}. As in a shell, the path shows how the user reached the
     * directory, and not the targets of links.
     */
    private static RemotePath lexical(RemotePath path) {
        Deque<String> names = new ArrayDeque<>();
        for (String name : path.path().split("/", -1)) {
            if (name.equals("..")) {
                names.pollLast();
            } else if (!name.isEmpty() && !name.equals(".")) {
                names.addLast(name);
            }
        }
        return new RemotePath(path.mount(), "/" + String.join("/", names));
    }
}
