package io.verbena.nfs.transfer.internal.remote;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.nfs.transfer.internal.tree.UnreadableEntry;
import io.verbena.nfs.transfer.walk.EntryNames;
import io.verbena.nfs.transfer.walk.FileKey;
import io.verbena.nfs.transfer.walk.TreeBounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one mount tells of its objects and directories, as entries of a tree. */
final class RemoteEntries {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteEntries.class);

    private RemoteEntries() {}

    /** Returns the path of an entry. */
    static String path(String directory, String name) {
        return (directory.equals("/") ? "" : directory) + "/" + name;
    }

    /** Returns a path without dots, as its text has them: what a link on the way leads to does not count. */
    static String withoutDots(String path) {
        Deque<String> names = new ArrayDeque<>();
        for (String name : path.split("/", -1)) {
            if (name.equals("..")) {
                names.pollLast();
            } else if (!name.equals(".")) {
                names.add(name);
            }
        }
        return "/" + String.join("/", names);
    }

    /**
     * Returns an object; empty if there is none.
     *
     * @param name the name that the entry gets
     */
    static Optional<FileEntry> find(Mount on, String path, String name, boolean followLink) throws IOException {
        try {
            return Optional.of(node(on, name, on.attributes(path, followLink)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * As {@link #find(Mount, String, String, boolean)}, in a directory that was seen. A symbolic link is not followed.
     *
     * @param directory the directory; null for whichever the path leads to
     */
    static Optional<FileEntry> find(Mount on, String path, String name, FileAttributes.FileKey directory)
            throws IOException {
        try {
            return Optional.of(node(on, name, on.attributes(path, directory)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static FileEntry node(Mount on, String name, FileAttributes attributes) {
        boolean hasKey = attributes.isDirectory() || (attributes.isRegularFile() && attributes.linkCount() > 1);
        return new FileEntry(
                name,
                attributes.type(),
                attributes.size(),
                attributes.mode() & 0_777,
                attributes.modified(),
                hasKey ? FileKey.of(on.source(), attributes) : null);
    }

    /**
     * A directory to list.
     *
     * @param key tells which directory it is, where it was seen before: another one in its place is not listed
     * @param shown its name in failures
     */
    record Directory(String path, Optional<FileKey> key, String shown) {
        /**
         * Returns the entries.
         *
         * @param unlisted receives the entries that are left out
         */
        List<FileEntry> list(Mount on, UnreadableEntry.Consumer unlisted) throws IOException {
            List<FileEntry> nodes = new ArrayList<>();
            try {
                Iterator<DirectoryEntry> listing = listing(on);
                while (listing.hasNext()) {
                    DirectoryEntry entry = listing.next();
                    String name = entry.name();
                    TreeBounds.checkEntries(shown, nodes.size());
                    if (!EntryNames.isUsable(entry)) {
                        unlisted.add(name, EntryNames.failure());
                    } else if (entry.failure().isPresent()) {
                        unlisted.add(name, entry.failure().get());
                    } else if (entry.attributes().type() == FileType.OTHER) {
                        // The server may have omitted the type. A request for the single entry returns the reason.
                        ask(on, name, nodes, unlisted);
                    } else {
                        nodes.add(node(on, name, entry.attributes()));
                    }
                }
                return nodes;
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        private Iterator<DirectoryEntry> listing(Mount on) throws IOException {
            return key.isPresent()
                    ? on.listing(path, key.get().onServer())
                    : on.entries(path).iterator();
        }

        private void ask(Mount on, String name, List<FileEntry> nodes, UnreadableEntry.Consumer unlisted)
                throws IOException {
            String entry = RemoteEntries.path(path, name);
            try {
                nodes.add(node(
                        on,
                        name,
                        key.isPresent() ? on.attributes(entry, key.get().onServer()) : on.attributes(entry, false)));
            } catch (NoSuchFileException e) {
                LOG.debug("{} is gone", entry, e);
            } catch (FileSystemException e) {
                unlisted.add(name, e);
            }
        }
    }

    /** Returns when the temporary objects in a directory were changed, of its first entries only. */
    static Map<String, Instant> temporaries(Mount on, String directory, int most) throws IOException {
        Map<String, Instant> found = new LinkedHashMap<>();
        try {
            int seen = 0;
            for (Iterator<DirectoryEntry> entries = on.entries(directory).iterator();
                    seen < most && entries.hasNext();
                    seen++) {
                DirectoryEntry entry = entries.next();
                if (entry.failure().isEmpty()
                        && HiddenNames.isPassing(
                                entry.name(), entry.attributes().type())) {
                    found.put(entry.name(), entry.attributes().changed());
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return found;
    }
}
