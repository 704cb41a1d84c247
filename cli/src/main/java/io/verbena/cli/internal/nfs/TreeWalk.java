package io.verbena.cli.internal.nfs;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Listing;
import io.verbena.cli.internal.FileKey;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.TreeBounds;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A walk through trees, in the server's order, that holds no more than a page of each directory on the way down. What
 * cannot be read is told on the error stream and passed over, and makes the whole a failure in the end.
 */
final class TreeWalk {
    /** What is done on the way. */
    interface Visitor {
        /** A file, or a directory before what is in it. The first of a walk has depth 0. */
        void enter(MountedPath path, FileAttributes attributes, int depth) throws IOException;

        /** A directory after what is in it. */
        default void leave(MountedPath directory, FileAttributes attributes, int depth) throws IOException {}
    }

    /** A directory on the way down. Of these there is a list, since a server may have more than a stack holds. */
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
    private final PrintStream errors;
    private int failures;
    /** Of the failures, entries that the server lists and cannot describe. */
    private int badEntries;

    /**
     * @param maxDepth how far it goes below where it starts
     * @param errors where it tells what it cannot read
     */
    TreeWalk(Visitor visitor, int maxDepth, PrintStream errors) {
        this.visitor = visitor;
        this.maxDepth = maxDepth;
        this.errors = errors;
    }

    /**
     * Goes through trees, of which a list is made on the way; links are not followed.
     *
     * @param rows what is printed of it where it fails, too, and which ends with it
     * @throws CommandFailure with {@link ExitStatus#PARTIAL} where something could not be read
     */
    void walk(List<MountedPath> starts, Listing.Rows<?> rows) throws IOException, InterruptedException, CommandFailure {
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

    /** What comes next in a directory; empty too where that cannot be read. */
    private Optional<DirectoryEntry> next(Level level, int depth) throws IOException {
        if (depth >= maxDepth) {
            return Optional.empty();
        }
        try {
            if (level.entries == null) {
                level.entries = level.directory.entries(this::tellEntry);
            }
            return level.entries.next();
        } catch (IOException e) {
            passOver(e, depth);
            return Optional.empty();
        }
    }

    /** What is wrong with one directory does not end the walk; what is wrong with the mount does. */
    private void passOver(IOException failure, int depth) throws IOException {
        if (!(failure.getCause() instanceof FileSystemException) || depth == 0) {
            throw failure;
        }
        if (!(failure.getCause() instanceof NoSuchFileException)) { // else it has gone meanwhile, which is no failure
            tell(failure);
        }
    }

    private void tellEntry(IOException failure) {
        badEntries++;
        tell(failure);
    }

    private void tell(IOException failure) {
        errors.println(failure.getMessage());
        failures++;
    }
}
