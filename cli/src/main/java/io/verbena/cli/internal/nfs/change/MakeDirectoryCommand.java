package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Creates directories. */
@Service
@Command(
        scope = "nfs",
        name = "mkdir",
        description = "Makes directories on a mount",
        detailedDescription = """
            Example: nfs:mkdir -p docs:/a/b/c""")
public final class MakeDirectoryCommand extends RemoteCommand {
    private static final int MODE = 0_755;

    @Option(name = "-p", description = "Also makes the directories above it; a directory that exists is not an error")
    private boolean parents;

    @Argument(name = "PATH", description = "NAME:/path of a directory to make", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        for (String path : paths) {
            MountedPath directory = file(path);
            if (parents) {
                makeAll(directory);
            } else {
                make(directory);
            }
        }
    }

    private static void make(MountedPath directory) throws IOException {
        directory.run((mount, path) -> mount.createDirectory(path, MODE));
    }

    private static void makeAll(MountedPath directory) throws IOException {
        if (directory.remote().isRoot() || directory.isDirectory()) {
            return;
        }
        makeAll(directory.at(directory.remote().parent()));
        try {
            make(directory);
        } catch (IOException e) {
            // Another process may just have created the directory, or a dot at the end means the one above.
            if (!directory.isDirectory()) {
                throw e;
            }
        }
    }
}
