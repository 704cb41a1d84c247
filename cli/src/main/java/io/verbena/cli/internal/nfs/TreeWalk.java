package io.verbena.cli.internal.nfs;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.MountedPath;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

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

    /** More than any file system has in a path, and less than a stack holds; a server may make up as many as it likes. */
    private static final int DEEPEST = 2_048;

    private final Visitor visitor;
    private final int maxDepth;
    private final PrintStream errors;
    private int failures;

    /**
     * @param maxDepth how far it goes below where it starts
     * @param errors where it tells what it cannot read
     */
    TreeWalk(Visitor visitor, int maxDepth, PrintStream errors) {
        this.visitor = visitor;
        this.maxDepth = maxDepth;
        this.errors = errors;
    }

    /** Goes through a tree; links are not followed. */
    void walk(MountedPath start) throws IOException, InterruptedException {
        walk(start, start.attributes(false), 0);
    }

    /**
     * @throws CommandFailure with {@link ExitStatus#PARTIAL} where something could not be read
     */
    void end() throws CommandFailure {
        if (failures > 0) {
            throw new CommandFailure(
                    ExitStatus.PARTIAL,
                    failures + (failures == 1 ? " directory" : " directories") + " could not be read: see above");
        }
    }

    private void walk(MountedPath path, FileAttributes attributes, int depth) throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (depth > DEEPEST) {
            throw new IOException(path + ": more than " + DEEPEST + " directories deep");
        }
        visitor.enter(path, attributes, depth);
        if (!attributes.isDirectory()) {
            return;
        }
        if (depth < maxDepth) {
            walkEntries(path, depth);
        }
        visitor.leave(path, attributes, depth);
    }

    private void walkEntries(MountedPath directory, int depth) throws IOException, InterruptedException {
        MountedPath.Entries entries;
        try {
            entries = directory.entries();
        } catch (IOException e) {
            passOver(e, depth);
            return;
        }
        while (true) {
            DirectoryEntry entry;
            try {
                if (!entries.hasNext()) {
                    return;
                }
                entry = entries.next();
            } catch (IOException e) {
                passOver(e, depth);
                return;
            }
            walk(directory.child(entry.name()), entry.attributes(), depth + 1);
        }
    }

    /** What is wrong with one directory does not end the walk; what is wrong with the mount does. */
    private void passOver(IOException failure, int depth) throws IOException {
        if (!(failure.getCause() instanceof FileSystemException) || depth == 0) {
            throw failure;
        }
        if (!(failure.getCause() instanceof NoSuchFileException)) { // else it has gone meanwhile, which is no failure
            errors.println(failure.getMessage());
            failures++;
        }
    }
}
