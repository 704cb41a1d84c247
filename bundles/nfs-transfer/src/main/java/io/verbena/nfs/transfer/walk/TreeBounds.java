package io.verbena.nfs.transfer.walk;

import java.io.IOException;
import java.util.stream.Stream;

/**
 * Bounds the descent into a tree, so that a tree without an end cannot keep a walk running. Every walk through a tree
 * checks each directory.
 */
public final class TreeBounds {
    /**
     * The deepest nesting of directories. No file system has more directories in a path, but a server can invent any
     * number.
     */
    private static final int DEEPEST = 2_048;

    /**
     * The largest number of entries of a directory that are held at once. The number is derived from the maximum heap
     * of this JVM at 512 octets an entry.
     */
    public static final int MAX_ENTRIES =
            (int) Math.min(1 << 22, Runtime.getRuntime().maxMemory() / 512);

    private TreeBounds() {}

    /**
     * Checks the number of entries of a directory that are held.
     *
     * @param directory the readable name of the directory
     * @param count the number of entries
     * @throws IOException if there are too many entries, as with a server whose listing never ends
     */
    public static void checkEntries(Object directory, int count) throws IOException {
        if (count > MAX_ENTRIES) {
            throw new IOException(directory + ": more than " + MAX_ENTRIES + " entries, too many to hold at once");
        }
    }

    /**
     * Checks the depth of a directory against the deepest path of any file system.
     *
     * @param path the path as the user names it
     * @param depth the number of directories above the path
     * @throws IOException if the path is too deep
     */
    public static void checkDepth(Object path, int depth) throws IOException {
        if (depth > DEEPEST) {
            throw new IOException(path + ": more than " + DEEPEST + " directories deep");
        }
    }

    /**
     * Checks that a directory is not among the directories above it. The walk through such a directory, and through its
     * siblings, would never end.
     *
     * @param path the path as the user names it
     * @param directory the key of the directory
     * @param above the keys of the directories above it
     * @throws IOException if the directory is among those above it
     */
    public static void checkLoop(Object path, FileKey directory, Stream<FileKey> above) throws IOException {
        // The bound of the depth covers servers that report no file ids.
        if (directory.fileId() != 0 && above.anyMatch(directory::equals)) {
            throw new IOException(path + ": the directory contains itself");
        }
    }
}
