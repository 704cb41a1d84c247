package io.verbena.hadoop.internal.tree;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The statuses of a directory's entries, read page by page. A symbolic link has the status of its target; a link that
 * leads nowhere, or where this user may not look, is listed as a link. One thread uses it.
 */
final class Listing implements RemoteIterator<FileStatus> {
    private final Mount mount;
    private final Statuses statuses;
    private final Path directory;
    private final Iterator<DirectoryEntry> entries;
    private FileStatus next;

    Listing(Mount mount, Statuses statuses, Path directory) throws IOException {
        this.mount = mount;
        this.statuses = statuses;
        this.directory = directory;
        this.entries = mount.entries(RemoteTree.name(directory)).iterator();
    }

    @Override
    public boolean hasNext() throws IOException {
        try {
            while (next == null && entries.hasNext()) {
                next = status(entries.next());
            }
            return next != null;
        } catch (UncheckedIOException e) {
            throw Failures.of(directory, e.getCause());
        }
    }

    @Override
    public FileStatus next() throws IOException {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        FileStatus status = next;
        next = null;
        return status;
    }

    /** Returns null for an entry that is gone meanwhile. */
    private FileStatus status(DirectoryEntry entry) throws IOException {
        if (!entry.isNameUsable()) {
            throw Failures.of(directory, entry.failure().orElseThrow());
        }
        Path path = statuses.child(directory, entry.name());
        String name = RemoteTree.name(path);
        try {
            if (entry.attributes().isSymbolicLink() && entry.failure().isEmpty()) {
                return ofLink(path, name, entry.attributes());
            }
            FileAttributes attributes = entry.failure().isEmpty() ? entry.attributes() : mount.attributes(name, true);
            return statuses.of(path, attributes);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    private FileStatus ofLink(Path path, String name, FileAttributes link) throws IOException {
        try {
            return statuses.of(path, mount.attributes(name, true));
        } catch (NoSuchFileException | NotDirectoryException | FileSystemLoopException | AccessDeniedException e) {
            return ofLinkItself(path, name, link);
        }
    }

    private FileStatus ofLinkItself(Path path, String name, FileAttributes link) throws IOException {
        try {
            return statuses.of(path, link, new Path(null, null, mount.readLink(name))); // a colon ends no scheme
        } catch (NotLinkException e) { // somebody has put something else there
            return statuses.of(path, mount.attributes(name, false));
        }
    }
}
