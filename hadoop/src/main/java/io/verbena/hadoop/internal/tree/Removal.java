package io.verbena.hadoop.internal.tree;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
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
                mount.remove(name);
                return true;
            }
            return path.isRoot() ? leaveRoot(path, recursive) : removeDirectory(path, name, recursive);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return false;
        } catch (UncheckedIOException e) {
            throw Failures.of(path, e.getCause());
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    private boolean removeDirectory(Path path, String name, boolean recursive) throws IOException {
        if (recursive) {
            removeTree(name);
            return true;
        }
        try {
            mount.remove(name);
            return true;
        } catch (java.nio.file.FileAlreadyExistsException e) { // as some servers say that it is not empty
            throw new PathIsNotEmptyDirectoryException(path.toString());
        }
    }

    private boolean leaveRoot(Path path, boolean recursive) throws IOException {
        if (!recursive && mount.names("/").iterator().hasNext()) {
            throw new PathIsNotEmptyDirectoryException(path.toString());
        }
        return false;
    }

    private void removeTree(String directory) throws IOException {
        clear(directory);
        mount.remove(directory);
    }

    private void clear(String directory) throws IOException {
        String prefix = directory.endsWith("/") ? directory : directory + "/";
        List<String> directories = new ArrayList<>();
        try {
            for (DirectoryEntry entry : mount.entries(directory)) {
                String name = prefix + entry.name();
                if (isDirectory(entry, name)) {
                    directories.add(name);
                } else {
                    underWay.add(mount.removeAsync(name));
                    await(WINDOW);
                }
            }
        } finally {
            await(0);
        }
        for (String each : directories) {
            removeTree(each);
        }
    }

    private boolean isDirectory(DirectoryEntry entry, String name) throws IOException {
        if (!entry.isNameUsable()) {
            throw entry.failure().orElseThrow();
        }
        return (entry.failure().isEmpty() ? entry.attributes() : mount.attributes(name, false)).isDirectory();
    }

    /** Waits until no more than so many removals are under way. Each ends, by the time-outs of the mount. */
    private void await(int most) throws IOException {
        while (underWay.size() > most) {
            CompletableFuture<Void> first = underWay.remove();
            try {
                first.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("the removal was interrupted");
            } catch (ExecutionException e) {
                IOException failure = Failures.unwrapped(e);
                if (!(failure instanceof NoSuchFileException)) { // somebody else was faster
                    throw failure;
                }
            }
        }
    }
}
