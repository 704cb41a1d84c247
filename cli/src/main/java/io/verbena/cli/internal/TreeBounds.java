package io.verbena.cli.internal;

import java.io.IOException;
import java.util.stream.Stream;

/** What ends the way down into a tree that would have no end. All that goes through trees checks each directory. */
public final class TreeBounds {
    /** More than any file system has in a path; a server may make up as many as it likes. */
    private static final int DEEPEST = 2_048;

    private TreeBounds() {}

    /**
     * Refuses to go deeper than any file system does.
     *
     * @param path as the user names it
     * @param depth how many directories are above it
     */
    public static void checkDepth(Object path, int depth) throws IOException {
        if (depth > DEEPEST) {
            throw new IOException(path + ": more than " + DEEPEST + " directories deep");
        }
    }

    /**
     * Refuses a directory that is on its own way down: there would be no end of it, nor of what is beside it.
     *
     * @param path as the user names it
     * @param above the directories above it
     */
    public static void checkLoop(Object path, FileKey directory, Stream<FileKey> above) throws IOException {
        // a server that tells no file ids is left to the bound of the depth
        if (directory.fileId() != 0 && above.anyMatch(directory::equals)) {
            throw new IOException(path + ": the directory contains itself");
        }
    }
}
