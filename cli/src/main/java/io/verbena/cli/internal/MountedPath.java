package io.verbena.cli.internal;

import io.verbena.cli.Failures;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A remote path and the mount that it is on; failures name it as the user does.
 *
 * @param mount where it is
 * @param remote how the user names it
 */
public record MountedPath(Mount mount, RemotePath remote) {
    /** Something done to a mount. */
    @FunctionalInterface
    public interface Operation {
        void run(Mount mount, String path) throws IOException;
    }

    /** The path on the mount. */
    public String path() {
        return remote.path();
    }

    public MountedPath child(String name) {
        return new MountedPath(mount, remote.child(name));
    }

    /** Does something with it. */
    public void run(Operation operation) throws IOException {
        Failures.run(toString(), () -> operation.run(mount, path()));
    }

    public FileAttributes attributes(boolean followLink) throws IOException {
        return Failures.get(toString(), () -> mount.attributes(path(), followLink));
    }

    /** Its attributes, or empty where nothing is there. */
    public Optional<FileAttributes> find(boolean followLink) throws IOException {
        return Failures.get(toString(), () -> {
            try {
                return Optional.of(mount.attributes(path(), followLink));
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        });
    }

    public boolean isDirectory() throws IOException {
        return find(true).filter(FileAttributes::isDirectory).isPresent();
    }

    /** What a directory holds, by name. */
    public List<DirectoryEntry> list() throws IOException {
        List<DirectoryEntry> entries = new ArrayList<>();
        forEach(entries::add);
        entries.sort(Comparator.comparing(DirectoryEntry::name));
        return entries;
    }

    /** Goes through what a directory holds, in the server's order, without holding all of it. */
    public void forEach(Consumer<DirectoryEntry> consumer) throws IOException {
        for (Entries entries = entries(); entries.hasNext(); ) {
            consumer.accept(entries.next());
        }
    }

    /** Begins to go through what a directory holds, as {@link #forEach}. */
    public Entries entries() throws IOException {
        return new Entries(
                toString(), Failures.get(toString(), () -> mount.entries(path()).iterator()));
    }

    /** What a directory holds, page by page; failures name the directory. */
    public static final class Entries {
        private final String directory;
        private final Iterator<DirectoryEntry> entries;

        private Entries(String directory, Iterator<DirectoryEntry> entries) {
            this.directory = directory;
            this.entries = entries;
        }

        public boolean hasNext() throws IOException {
            return Failures.get(directory, entries::hasNext);
        }

        /** The next, whose name cannot lead out of its directory. */
        public DirectoryEntry next() throws IOException {
            return Failures.get(directory, () -> {
                DirectoryEntry entry = entries.next();
                String name = entry.name();
                if (name.isEmpty()
                        || name.equals(".")
                        || name.equals("..")
                        || name.indexOf('/') >= 0
                        || name.indexOf(0) >= 0) {
                    throw new IOException("the server lists a name that no file can have");
                }
                return entry;
            });
        }
    }

    public String readLink() throws IOException {
        return Failures.get(toString(), () -> mount.readLink(path()));
    }

    @Override
    public String toString() {
        return remote.toString();
    }
}
