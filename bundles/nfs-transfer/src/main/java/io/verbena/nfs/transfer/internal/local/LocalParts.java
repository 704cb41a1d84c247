package io.verbena.nfs.transfer.internal.local;

import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.text.LocalNames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The temporary files that a copy has made or taken up in a tree of this host. Each stays open by a descriptor from the
 * moment when it is made until it has its final name, is removed or is given up. So a file that another user puts under
 * the temporary name is never written, read or changed. Thread safe.
 */
final class LocalParts implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalParts.class);

    /** Holds the process's own numbers on Linux. */
    private static final Path PROCESS = LocalNames.path("/proc/self");

    /**
     * A temporary file.
     *
     * @param entry its name, whose directory stays open as long
     */
    record Part(FileReference reference, LocalDirectories.Entry entry) implements Closeable {
        /** Returns whether the name is still that of the file. */
        boolean isUnderItsName() throws IOException {
            FileStatus there = entry.directory().status(entry.name());
            return there != null && there.isSameObject(reference.status());
        }

        @Override
        public void close() throws IOException {
            try (entry) {
                reference.close();
            }
        }
    }

    private final Map<String, Part> parts = new ConcurrentHashMap<>();

    /** Returns the temporary file with this path, or null. */
    Part get(String path) {
        return parts.get(path);
    }

    /** Makes a temporary file, which must not exist, and keeps it. */
    Part make(String path, LocalDirectories.Entry entry) throws IOException {
        return keep(path, entry, entry.directory().createFile(entry.name(), 0_600));
    }

    /**
     * Takes up a file that an earlier copy has left.
     *
     * @throws FileSystemException if the object is no regular file of this user, or has further names
     */
    Part adopt(String path, LocalDirectories.Entry entry) throws IOException {
        FileReference reference = entry.directory().refer(entry.name());
        try {
            FileStatus status = reference.status();
            // some file systems give all files to the owner of their directory, whoever makes them
            boolean isOwn = status.uid() == user()
                    || status.uid() == entry.directory().status().uid();
            if (!status.isRegular() || status.linkCount() != 1 || !isOwn) {
                throw new FileSystemException(
                        null,
                        null,
                        "what is in the place of its temporary file is no file that an earlier copy of this user left"
                                + "; remove it");
            }
        } catch (Throwable e) {
            reference.close();
            throw e;
        }
        return keep(path, entry, reference);
    }

    private Part keep(String path, LocalDirectories.Entry entry, FileReference reference) throws IOException {
        Part part = new Part(reference, entry);
        Part other = parts.put(path, part);
        if (other != null) {
            other.close();
        }
        return part;
    }

    /** The number of this process's user. */
    private static int user() throws IOException {
        return (int) Files.getAttribute(PROCESS, "unix:uid");
    }

    /** Gives a temporary file up: it has its final name, is removed, or is left to a later copy. */
    void release(String path) {
        Part part = parts.remove(path);
        if (part != null) {
            close(part);
        }
    }

    private static void close(Part part) {
        try {
            part.close();
        } catch (IOException e) {
            LOG.debug("a temporary file was not closed", e);
        }
    }

    @Override
    public void close() {
        List.copyOf(parts.keySet()).forEach(this::release);
    }
}
