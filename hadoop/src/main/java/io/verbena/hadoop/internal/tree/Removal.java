package io.verbena.hadoop.internal.tree;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UndecidedException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/**
 * Removes files and trees. NFS has no operation for a tree: entries go one after the other, several under way, and a
 * removal that fails leaves the rest. Used once, by one thread.
 */
final class Removal {
    private static final int WINDOW = 32;
    /** How often a directory is cleared in which others go on to make entries. */
    private static final int ROUNDS = 8;

    private final Mount mount;
    private final Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();

    Removal(Mount mount) {
        this.mount = mount;
    }

    /**
     * Removes an object.
     *
     * @param recursive whether a directory goes with all that it holds
     * @return false if it did not exist, and for the root, of which nothing is removed
     * @throws PathIsNotEmptyDirectoryException for a directory with entries that is not removed recursively
     */
    boolean remove(Path path, boolean recursive) throws IOException {
        String name = RemoteTree.name(path);
        try {
            FileAttributes attributes = mount.attributes(name, false);
            if (!attributes.isDirectory()) {
                removeName(name);
                return true;
            }
            return path.isRoot()
                    ? leaveRoot(path, recursive)
                    : removeDirectory(path, new Found(name, FileKey.of(attributes)), recursive);
        } catch (IOException | UncheckedIOException e) {
            IOException failure = Failures.unwrapped(e);
            if (Failures.isGone(failure)) {
                return false;
            }
            throw Failures.of(path, failure);
        }
    }

    /**
     * A directory, and which one it is: what has the name later, by somebody's symbolic link, is left alone.
     *
     * @param name its path on the server
     */
    private record Found(String name, FileKey key) {}

    private boolean removeDirectory(Path path, Found directory, boolean recursive) throws IOException {
        try {
            if (recursive) {
                clearAnd(directory, () -> removeName(directory.name()));
            } else {
                removeName(directory.name());
            }
            return true;
        } catch (java.nio.file.FileAlreadyExistsException e) { // as some servers say that it is not empty
            throw new PathIsNotEmptyDirectoryException(path.toString());
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Clears a directory and removes it, and does so again where others have made entries in between. */
    private void clearAnd(Found directory, Step remove) throws IOException {
        for (int round = 1; ; round++) {
            clear(directory);
            try {
                remove.run();
                return;
            } catch (DirectoryNotEmptyException | java.nio.file.FileAlreadyExistsException e) {
                if (round == ROUNDS) {
                    throw e;
                }
            }
        }
    }

    private boolean leaveRoot(Path path, boolean recursive) throws IOException {
        if (!recursive && mount.names("/").iterator().hasNext()) {
            throw new PathIsNotEmptyDirectoryException(path.toString());
        }
        return false;
    }

    private void removeName(String name) throws IOException {
        try {
            mount.remove(name);
        } catch (UndecidedException e) {
            requireGone(e);
        }
    }

    private static void requireGone(UndecidedException failure) throws UndecidedException {
        if (!isGone(failure)) {
            throw failure;
        }
    }

    /** Whether the name of a removal is gone that was done, as far as anybody knows. */
    private static boolean isGone(UndecidedException failure) {
        return failure.status().equals("NFS4ERR_NOENT");
    }

    private void clear(Found directory) throws IOException {
        String prefix = directory.name().endsWith("/") ? directory.name() : directory.name() + "/";
        List<Found> directories = new ArrayList<>();
        try {
            DirectoryListing entries = mount.listing(directory.name(), directory.key());
            while (entries.hasNext()) {
                DirectoryEntry entry = entries.next();
                String name = prefix + entry.name();
                FileAttributes attributes = attributes(entry, name, directory.key());
                if (attributes != null && attributes.isDirectory()) {
                    directories.add(new Found(name, FileKey.of(attributes)));
                } else {
                    underWay.add(mount.removeAsync(name, directory.key()));
                    if (underWay.size() > WINDOW) {
                        awaitFirst();
                    }
                }
            }
        } finally {
            awaitAll();
        }
        for (Found each : directories) {
            removeInner(each, directory.key());
        }
    }

    private void removeInner(Found directory, FileKey above) throws IOException {
        try {
            clearAnd(directory, () -> mount.remove(directory.name(), above));
        } catch (UndecidedException e) {
            requireGone(e);
        } catch (IOException | UncheckedIOException e) {
            IOException failure = Failures.unwrapped(e);
            if (!Failures.isGone(failure)) { // else somebody else was faster
                throw failure;
            }
        }
    }

    /** The attributes of an entry; null where somebody else was faster, as the removal finds out. */
    private FileAttributes attributes(DirectoryEntry entry, String name, FileKey above) throws IOException {
        if (!entry.isNameUsable()) {
            throw entry.failure().orElseThrow();
        }
        if (entry.failure().isEmpty()) {
            return entry.attributes();
        }
        try {
            return mount.attributes(name, above);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Waits until all removals that are under way have ended, and throws the first failure. */
    private void awaitAll() throws IOException {
        IOException first = null;
        while (!underWay.isEmpty()) {
            try {
                awaitFirst();
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Waits for the end of the oldest removal. It ends, by the time-outs of the mount. */
    private void awaitFirst() throws IOException {
        CompletableFuture<Void> first = underWay.remove();
        try {
            first.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the removal was interrupted");
        } catch (ExecutionException e) {
            IOException failure = Failures.unwrapped(e);
            boolean isGone = failure instanceof NoSuchFileException // somebody else was faster
                    || (failure instanceof UndecidedException undecided && isGone(undecided));
            if (!isGone) {
                throw failure;
            }
        }
    }
}
