package io.verbena.cli.internal.nfs.command;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ErrorLines;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Listing;
import io.verbena.cli.internal.MountedPath;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.transfer.walk.FileKey;
import io.verbena.nfs.transfer.walk.TreeBounds;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Walks through trees in the order of the server. The walk holds at most one page of each directory on the path from
 * the top. An object that cannot be read is reported on the error stream and skipped, and makes the whole walk fail at
 * the end.
 */
public final class TreeWalk {
    /** Visits the objects of a walk. */
    public interface Visitor {
        /** Visits a file, or a directory before its entries. The first object of a walk has the depth 0. */
        void enter(MountedPath path, FileAttributes attributes, int depth) throws IOException;

        /** Visits a directory after its entries. */
        default void leave(MountedPath directory, FileAttributes attributes, int depth) throws IOException {}
    }

    /**
     * A directory on the path from the top. The directories form a list rather than a recursion, because a server can
     * nest directories deeper than a thread's stack allows.
     */
    private static final class Level {
        private final MountedPath directory;
        private final FileAttributes attributes;
        private final FileKey key;
        private MountedPath.Entries entries;

        Level(MountedPath directory, FileAttributes attributes) {
            this.directory = directory;
            this.attributes = attributes;
            this.key = FileKey.of(attributes);
        }
    }

    private final Visitor visitor;
    private final int maxDepth;
    private final ErrorLines errors;
    private int failures;
    /** The number of failures that are entries which the server lists but cannot describe. */
    private int badEntries;

    /**
     * Creates a walk.
     *
     * @param maxDepth the largest depth below a start
     * @param errors tells of objects that cannot be read
     */
    public TreeWalk(Visitor visitor, int maxDepth, ErrorLines errors) {
        this.visitor = visitor;
        this.maxDepth = maxDepth;
        this.errors = errors;
    }

    /**
     * Walks through trees while a list of them is printed. Symbolic links are not followed.
     *
     * @param rows the rows of the list, which are printed even if the walk fails, and which end with the walk
     * @throws CommandFailure with {@link ExitStatus#PARTIAL} if an object could not be read
     */
    public void walk(List<MountedPath> starts, Listing.Rows<?> rows)
            throws IOException, InterruptedException, CommandFailure {
        try {
            for (MountedPath start : starts) {
                walk(start);
            }
        } finally {
            rows.flush();
        }
        rows.end();
        if (failures > 0) {
            String what = badEntries == 0 ? "directory" : "entry";
            throw new CommandFailure(
                    ExitStatus.PARTIAL,
                    failures + (failures == 1 ? " " + what : " " + what.replace("y", "ies"))
                            + " could not be read: see above");
        }
    }

    private void walk(MountedPath start) throws IOException, InterruptedException {
        Deque<Level> above = new ArrayDeque<>();
        enter(start, start.attributes(false), above);
        while (!above.isEmpty()) {
            Level level = above.element();
            Optional<DirectoryEntry> entry = next(level, above.size() - 1);
            if (entry.isPresent() && entry.get().failure().isPresent()) {
                String path = level.directory.child(entry.get().name()).toString();
                tellEntry(Failures.about(path, entry.get().failure().get()));
            } else if (entry.isPresent()) {
                enter(level.directory.child(entry.get().name()), entry.get().attributes(), above);
            } else {
                above.remove();
                visitor.leave(level.directory, level.attributes, above.size());
            }
        }
    }

    private void enter(MountedPath path, FileAttributes attributes, Deque<Level> above)
            throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        TreeBounds.checkDepth(path, above.size());
        if (attributes.isDirectory()) {
            TreeBounds.checkLoop(path, FileKey.of(attributes), above.stream().map(level -> level.key));
        }
        visitor.enter(path, attributes, above.size());
        if (attributes.isDirectory()) {
            above.push(new Level(path, attributes));
        }
    }

    /** Returns the next entry of a directory; empty at the end, or if the directory cannot be read. */
    private Optional<DirectoryEntry> next(Level level, int depth) throws IOException {
        if (depth >= maxDepth) {
            return Optional.empty();
        }
        try {
            if (level.entries == null) {
                level.entries = level.directory.entries(level.key.onServer(), this::tellEntry);
            }
            return level.entries.next();
        } catch (IOException e) {
            passOver(e, depth);
            return Optional.empty();
        }
    }

    /** Reports a failure of one directory, and throws a failure of the mount, which ends the walk. */
    private void passOver(IOException failure, int depth) throws IOException {
        if (!(failure.getCause() instanceof FileSystemException) || depth == 0) {
            throw failure;
        }
        if (!(failure.getCause() instanceof NoSuchFileException)) { // otherwise it was removed meanwhile: no failure
            tell(failure);
        }
    }

    private void tellEntry(IOException failure) {
        badEntries++;
        tell(failure);
    }

    private void tell(IOException failure) {
        errors.tell(failure);
        failures++;
    }
}
