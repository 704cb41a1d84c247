package io.verbena.cli.internal;

import io.verbena.cli.Failures;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountExplanation;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.walk.EntryNames;
import io.verbena.nfs.transfer.walk.TreeBounds;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A remote path and its mount. Failures show the path as the user wrote it. If the mount is replaced, operations that
 * have certainly not been carried out, or that may be carried out twice, are repeated on the successor of the mount.
 *
 * @param mounts the mounts, which provide the successor of the mount
 * @param mount the mount of the path
 * @param remote the path as the user wrote it
 */
public record MountedPath(Mounts mounts, Mount mount, RemotePath remote) {
    /**
     * The largest number of replacements during one call. The limit ends a call whose mount is replaced over and over.
     */
    private static final int MAX_REPLACEMENTS = 10;

    /** A change on a mount. */
    @FunctionalInterface
    public interface Operation {
        void run(Mount mount, String path) throws IOException;
    }

    /** A query of a mount, which changes nothing. */
    @FunctionalInterface
    private interface Look<T> {
        T at(Mount mount, String path) throws IOException;
    }

    /** Returns the path on the mount. */
    public String path() {
        return remote.path();
    }

    public MountedPath child(String name) {
        return at(remote.child(name));
    }

    /** Returns another path on the same mount. */
    public MountedPath at(RemotePath other) {
        return new MountedPath(mounts, mount, other);
    }

    /** Runs an operation on the path. The operation is not repeated if it may already have been carried out. */
    public void run(Operation operation) throws IOException {
        call(false, (on, path) -> {
            operation.run(on, path);
            return null;
        });
    }

    public FileAttributes attributes(boolean followLink) throws IOException {
        return call(true, (on, path) -> on.attributes(path, followLink));
    }

    private <T> T call(boolean isRepeatable, Look<T> look) throws IOException {
        return Failures.get(toString(), () -> {
            Mount on = mount;
            for (int replacements = 0; ; replacements++) {
                try {
                    return look.at(on, path());
                } catch (IOException | UncheckedIOException e) {
                    on = successor(on, e, isRepeatable, replacements);
                }
            }
        });
    }

    /**
     * Returns the mount on which to repeat a failed operation, or throws the failure. For callers that hold more than a
     * path.
     *
     * @param gone the mount on which the operation failed
     * @param isRepeatable whether the operation may be carried out twice
     * @param replacements how often the operation has been repeated before
     */
    public Mount successor(Mount gone, Exception failure, boolean isRepeatable, int replacements) throws IOException {
        boolean goesOn = Failures.unwrap(failure) instanceof MountReplacedException replaced
                && (isRepeatable || !replaced.isUndecided())
                && replacements < MAX_REPLACEMENTS;
        if (!goesOn) {
            throw failure instanceof UncheckedIOException e ? e.getCause() : (IOException) failure;
        }
        try {
            return mounts.successor(gone);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** Returns the attributes of the object; empty if there is none. */
    public Optional<FileAttributes> find(boolean followLink) throws IOException {
        return call(true, (on, path) -> {
            try {
                return Optional.of(on.attributes(path, followLink));
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        });
    }

    public boolean isDirectory() throws IOException {
        return find(true).filter(FileAttributes::isDirectory).isPresent();
    }

    /**
     * Returns the entries of the directory, sorted by name.
     *
     * @param unlisted receives a failure for each entry that is left out
     */
    public List<DirectoryEntry> list(Consumer<IOException> unlisted) throws IOException {
        return sorted(entries(unlisted));
    }

    /**
     * As {@link #list}, of the directory that was seen, and of no other one: see {@link Mount#listing(String,
     * FileKey)}.
     */
    public List<DirectoryEntry> list(FileKey seen, Consumer<IOException> unlisted) throws IOException {
        return sorted(entries(seen, unlisted));
    }

    /**
     * Returns the entries of the directory, sorted by name, without their attributes. See {@link Mount#names}.
     *
     * @param unlisted receives a failure for each entry that is left out
     */
    public List<DirectoryEntry> names(Consumer<IOException> unlisted) throws IOException {
        return sorted(new Entries(this, unlisted, Mount::names));
    }

    private List<DirectoryEntry> sorted(Entries left) throws IOException {
        List<DirectoryEntry> entries = new ArrayList<>();
        for (Optional<DirectoryEntry> next = left.next(); next.isPresent(); next = left.next()) {
            entries.add(next.get());
            TreeBounds.checkEntries(this, entries.size());
        }
        entries.sort(Comparator.comparing(DirectoryEntry::name));
        return entries;
    }

    /**
     * Passes the entries of the directory to a consumer in the order of the server, without holding all of them in
     * memory.
     *
     * @param unlisted receives a failure for each entry that is left out
     */
    public void forEach(Consumer<DirectoryEntry> consumer, Consumer<IOException> unlisted) throws IOException {
        Entries entries = entries(unlisted);
        for (Optional<DirectoryEntry> next = entries.next(); next.isPresent(); next = entries.next()) {
            consumer.accept(next.get());
        }
    }

    /** Starts to iterate over the entries of the directory, as {@link #forEach} does. */
    public Entries entries(Consumer<IOException> unlisted) throws IOException {
        return new Entries(this, unlisted, Mount::entries);
    }

    /** As {@link #entries(Consumer)}, of the directory that was seen, and of no other one. */
    public Entries entries(FileKey seen, Consumer<IOException> unlisted) throws IOException {
        return new Entries(this, unlisted, (on, path) -> {
            DirectoryListing listing = on.listing(path, seen);
            return () -> listing;
        });
    }

    /**
     * The entries of a directory, read page by page. Failures name the directory. On the successor of a replaced mount,
     * the listing is read from its start again. The entries already returned are skipped if their names and their order
     * are the same as before. Otherwise the listing fails.
     */
    public static final class Entries {
        private final MountedPath directory;
        private final Consumer<IOException> unlisted;
        private final Look<Iterable<DirectoryEntry>> listing;
        private Mount on;
        private Iterator<DirectoryEntry> entries;
        private long passed;
        private long names;

        private Entries(MountedPath directory, Consumer<IOException> unlisted, Look<Iterable<DirectoryEntry>> listing)
                throws IOException {
            this.directory = directory;
            this.unlisted = unlisted;
            this.listing = listing;
            this.on = directory.mount;
            step(() -> null);
        }

        /**
         * Returns the next entry; empty at the end. The name of the entry cannot lead out of its directory. The entry
         * can contain a failure.
         */
        public Optional<DirectoryEntry> next() throws IOException {
            Optional<DirectoryEntry> next = step(this::advance);
            while (next.isPresent() && !EntryNames.isUsable(next.get())) {
                String path = directory.child(next.get().name()).toString();
                unlisted.accept(Failures.about(path, EntryNames.failure()));
                next = step(this::advance);
            }
            return next;
        }

        private Optional<DirectoryEntry> advance() {
            if (!entries.hasNext()) {
                return Optional.empty();
            }
            DirectoryEntry entry = entries.next();
            pass(entry);
            return Optional.of(entry);
        }

        private void pass(DirectoryEntry entry) {
            passed++;
            names = mixed(names, entry.name());
        }

        /**
         * Returns a hash that differs with high probability for other names, or for the same names in another order.
         */
        private static long mixed(long before, String name) {
            long mixed = before;
            for (int i = 0; i < name.length(); i++) {
                mixed = (mixed ^ name.charAt(i)) * 0x100000001b3L; // as in FNV-1a
            }
            return (mixed ^ '/') * 0x100000001b3L;
        }

        private <T> T step(Failures.Call<T> call) throws IOException {
            return Failures.get(directory.toString(), () -> {
                for (int replacements = 0; ; replacements++) {
                    try {
                        open();
                        return call.get();
                    } catch (IOException | UncheckedIOException e) {
                        on = directory.successor(on, e, true, replacements);
                        entries = null;
                    }
                }
            });
        }

        /** Opens the listing if it is not open, and skips the entries already returned. */
        private void open() throws IOException {
            if (entries != null) {
                return;
            }
            Iterator<DirectoryEntry> opened = listing.at(on, directory.path()).iterator();
            long again = 0;
            for (long i = 0; i < passed && opened.hasNext(); i++) {
                again = mixed(again, opened.next().name());
            }
            if (again != names) {
                throw new IOException("changed while it was listed, and its mount was replaced: run it again");
            }
            entries = opened;
        }
    }

    /** See {@link Mount#explain}. */
    public List<MountExplanation> explain() throws IOException {
        return call(true, Mount::explain);
    }

    /** Returns the status of the path's file system, including its free space. */
    public FileSystemStatus fileSystemStatus() throws IOException {
        return call(true, Mount::fileSystemStatus);
    }

    public String readLink() throws IOException {
        return call(true, Mount::readLink);
    }

    @Override
    public String toString() {
        return remote.toString();
    }
}
