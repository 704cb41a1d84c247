package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.cli.internal.nfs.command.TreeWalk;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.transfer.walk.FileKey;
import io.verbena.nfs.transfer.walk.TreeBounds;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
            What cannot be removed is told, and keeps nothing beside it: the exit status is 7 then.
            Temporary files of copies that were killed go with a later copy into their directory, an hour after that; \
            where no copy is under way they may be removed as any others.

            Example: nfs:rm docs:/old.txt 'docs:/*.tmp'
                     nfs:rm -r docs:/olddir
                     nfs:rm 'docs:/dir/.verbena-*.tmp.part'""")
public final class RemoveCommand extends RemoteCommand {
    /** The largest number of files that are removed at a time. */
    private static final int MOST_AT_ONCE = 64;

    @Option(name = "-r", description = "Directories too, with all that is in them")
    private boolean recursive;

    @Option(name = "-f", description = "It is no failure where nothing is there")
    private boolean force;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    private long removed;
    private long failures;

    /** The removals that have no answer, in the order of the requests. */
    private final Deque<Begun> begun = new ArrayDeque<>();

    private int mostBegun;

    /** A removal of an entry that is not a directory. */
    private record Begun(MountedPath path, Level level, CompletableFuture<Void> outcome) {}

    /**
     * A directory on the path from the top, and its remaining entries. The directories form a list, see {@link
     * TreeWalk}.
     */
    private static final class Level {
        private final MountedPath directory;
        private final FileKey key;
        private Iterator<DirectoryEntry> left = Collections.emptyIterator();
        /** Whether an entry remains, so that the directory remains too. */
        private boolean stays;

        Level(MountedPath directory, FileAttributes attributes) {
            this.directory = directory;
            this.key = FileKey.of(attributes);
        }
    }

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        List<MountedPath> all = new ArrayList<>();
        for (String path : paths) {
            for (MountedPath mounted : matches(path)) {
                if (mounted.remote().isRoot() || path.matches("(.*[/:])?\\.\\.?/*")) {
                    throw new CommandException(
                            mounted + ": refused: it would remove the directory that paths start from");
                }
                all.add(mounted);
            }
        }
        for (MountedPath path : all) {
            try {
                remove(path);
            } catch (CommandFailure e) {
                if (all.size() == 1 && removed + failures == 0) {
                    throw e;
                }
                tell(e);
            }
        }
        if (failures > 0) {
            throw new CommandFailure(ExitStatus.PARTIAL, failures + " could not be removed: see above");
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

    /**
     * Removes the object at a path.
     *
     * @throws CommandFailure if the object remains for a reason that concerns only this object
     */
    private void remove(MountedPath path) throws IOException, InterruptedException, CommandFailure {
        Optional<FileAttributes> attributes = path.find(false);
        if (attributes.isEmpty()) {
            if (!force) {
                throw new CommandFailure(ExitStatus.NOT_FOUND, path + ": no such file or directory");
            }
            return;
        }
        try {
            if (!attributes.get().isDirectory()) {
                removeOne(path, null);
            } else if (recursive) {
                removeTree(path, attributes.get());
            } else {
                throw new CommandFailure(
                        ExitStatus.FAILED, path + ": is a directory; -r removes it with all that is in it");
            }
        } catch (IOException e) {
            if (!isOfOneFile(e)) {
                throw e;
            }
            throw new CommandFailure(ExitStatus.of(e), e.getMessage(), e);
        }
    }

    private void removeTree(MountedPath top, FileAttributes attributes) throws IOException, InterruptedException {
        Deque<Level> above = new ArrayDeque<>();
        mostBegun = Math.max(1, Math.min(top.mount().statistics().slotsGranted(), MOST_AT_ONCE));
        begun.clear();
        enter(top, attributes, above);
        while (!above.isEmpty()) {
            Level level = above.element();
            if (level.left.hasNext()) {
                DirectoryEntry entry = level.left.next();
                removeOrEnter(level, entry, above);
            } else {
                above.remove();
                leave(level, above);
            }
        }
    }

    private void removeOrEnter(Level level, DirectoryEntry entry, Deque<Level> above)
            throws IOException, InterruptedException {
        MountedPath path = level.directory.child(entry.name());
        // A server removes an entry that it cannot describe, unless the entry is a directory that is not empty.
        if (entry.failure().isEmpty() && entry.attributes().isDirectory()) {
            enter(path, entry.attributes(), above);
            return;
        }
        checkInterrupt();
        if (begun.size() >= mostBegun) {
            awaitFirst();
        }
        begun.add(new Begun(path, level, path.mount().removeAsync(path.path(), level.key.onServer())));
    }

    /** Waits for the first removal that has no answer. */
    private void awaitFirst() throws IOException, InterruptedException {
        Begun first = begun.remove();
        try {
            Void unused = first.outcome().get();
            removed++;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MountReplacedException replaced && !replaced.isUndecided()) {
                removeAgain(first);
            } else {
                pass(Failures.about(first.path().toString(), e.getCause()), first.level());
            }
        }
    }

    /** Removes an entry on the mount that takes the place of the one that was asked. */
    private void removeAgain(Begun removal) throws IOException {
        try {
            removeOne(removal.path(), removal.level());
        } catch (IOException e) {
            pass(e, removal.level());
        }
    }

    private void enter(MountedPath path, FileAttributes attributes, Deque<Level> above)
            throws IOException, InterruptedException {
        checkInterrupt();
        Level level = new Level(path, attributes);
        TreeBounds.checkDepth(path, above.size());
        TreeBounds.checkLoop(path, level.key, above.stream().map(each -> each.key));
        above.push(level);
        try {
            level.left = path.list(level.key.onServer(), unlisted -> {
                        level.stays = true;
                        tell(unlisted);
                    })
                    .iterator();
        } catch (IOException e) {
            if (above.size() == 1) {
                throw e;
            }
            pass(e, level);
        }
    }

    /** Removes a directory after its entries, if all entries were removed. */
    private void leave(Level level, Deque<Level> above) throws IOException, InterruptedException {
        while (!begun.isEmpty()) {
            awaitFirst();
        }
        if (!level.stays) {
            try {
                removeOne(level.directory, above.peek());
            } catch (IOException e) {
                if (above.isEmpty()) {
                    throw e;
                }
                pass(e, level);
            }
        }
        if (level.stays && !above.isEmpty()) {
            above.element().stays = true;
        }
    }

    private static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Reports a failure of one entry, and throws a failure of the mount, which ends the walk. */
    private void pass(IOException failure, Level level) throws IOException {
        if (!isOfOneFile(failure)) {
            throw failure;
        }
        if (!isGone(failure)) { // otherwise another process has removed it, or this one by an earlier request
            level.stays = true;
            tell(failure);
        }
    }

    private static boolean isGone(IOException failure) {
        return failure.getCause() instanceof NoSuchFileException
                || (failure.getCause() instanceof UndecidedException undecided
                        && undecided.status().equals("NFS4ERR_NOENT"));
    }

    private static boolean isOfOneFile(IOException failure) {
        return failure.getCause() instanceof FileSystemException;
    }

    private void tell(Exception failure) {
        failures++;
        errorLines().tell(failure);
    }

    /** @param directory that holds the object, or null for whichever the user's path leads to */
    private void removeOne(MountedPath path, Level directory) throws IOException {
        if (directory == null) {
            path.run((mount, name) -> mount.remove(name));
        } else {
            path.run((mount, name) -> mount.remove(name, directory.key.onServer()));
        }
        removed++;
    }
}
