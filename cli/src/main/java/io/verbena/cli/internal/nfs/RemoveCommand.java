package io.verbena.cli.internal.nfs;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
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
public final class RemoveCommand extends RemoteCommand {
    @Option(name = "-r", description = "Directories too, with all that is in them")
    private boolean recursive;

    @Option(name = "-f", description = "It is no failure where nothing is there")
    private boolean force;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    private int entriesLeft;

    /** A directory on the way down, and what is left in it. Of these there is a list, see {@link TreeWalk}. */
    private record Level(MountedPath directory, FileAttributes attributes, Iterator<DirectoryEntry> left) {}

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
                    remove(mounted, attributes.get());
                } else if (!force) {
                    throw new CommandFailure(ExitStatus.NOT_FOUND, mounted + ": no such file or directory");
                }
            }
        }
        if (entriesLeft > 0) {
            throw new CommandFailure(ExitStatus.PARTIAL, entriesLeft + " could not be removed: see above");
        }
    }

    private List<MountedPath> matches(String path) throws IOException, CommandException {
        try {
            return files(path);
        } catch (CommandFailure e) {
            if (force && e.status() == ExitStatus.NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
    }

    private void remove(MountedPath path, FileAttributes attributes) throws IOException, InterruptedException {
        Deque<Level> above = new ArrayDeque<>();
        removeOrEnter(path, attributes, above);
        while (!above.isEmpty()) {
            Level level = above.element();
            if (level.left().hasNext()) {
                DirectoryEntry entry = level.left().next();
                removeOrEnter(level.directory().child(entry.name()), entry.attributes(), above);
            } else {
                above.remove();
                remove(level.directory());
            }
        }
    }

    private void removeOrEnter(MountedPath path, FileAttributes attributes, Deque<Level> above)
            throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!attributes.isDirectory()) {
            remove(path);
            return;
        }
        if (!recursive) {
            throw new IOException(path + ": is a directory; -r removes it with all that is in it");
        }
        TreeWalk.checkDepth(path, above.size());
        TreeWalk.checkLoop(path, attributes, above.stream().map(Level::attributes));
        above.push(new Level(path, attributes, path.list(this::tell).iterator()));
    }

    private void tell(IOException unlisted) {
        entriesLeft++;
        System.err.println(unlisted.getMessage());
        System.err.flush();
    }

    private static void remove(MountedPath path) throws IOException {
        path.run((mount, name) -> mount.remove(name));
    }
}
