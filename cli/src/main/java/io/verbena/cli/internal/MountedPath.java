package io.verbena.cli.internal;

import io.verbena.cli.Failures;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Finding;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
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
 * A remote path and the mount that it is on; failures name it as the user does. Where the mount is replaced, what has
 * certainly not been done, or may well be done twice, is done on the one that takes its place.
 *
 * @param mounts which knows what takes the place of the mount
 * @param mount where it is
 * @param remote how the user names it
 */
public record MountedPath(Mounts mounts, Mount mount, RemotePath remote) {
    /** So often at most for one call, so that where a mount is replaced over and over it ends. */
    private static final int MAX_REPLACEMENTS = 10;

    /** Something done to a mount. */
    @FunctionalInterface
    public interface Operation {
        void run(Mount mount, String path) throws IOException;
    }

    /** Something asked of a mount, which changes nothing. */
    @FunctionalInterface
    private interface Look<T> {
        T at(Mount mount, String path) throws IOException;
    }

    /** The path on the mount. */
    public String path() {
        return remote.path();
    }

    public MountedPath child(String name) {
        return at(remote.child(name));
    }

    /** Another path on the same mount. */
    public MountedPath at(RemotePath other) {
        return new MountedPath(mounts, mount, other);
    }

    /** Does something with it; not again where it may have been done. */
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
     * The mount to try something on again that has failed, or that failure: for those who hold more than a path.
     *
     * @param gone where it was tried
     * @param isRepeatable whether it may be done twice
     * @param replacements how often it has been tried again before
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

    /** Its attributes, or empty where nothing is there. */
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
     * What a directory holds, by name.
     *
     * @param unlisted told of entries that are left out
     */
    public List<DirectoryEntry> list(Consumer<IOException> unlisted) throws IOException {
        List<DirectoryEntry> entries = new ArrayList<>();
        forEach(entries::add, unlisted);
        entries.sort(Comparator.comparing(DirectoryEntry::name));
        return entries;
    }

    /**
     * Goes through what a directory holds, in the server's order, without holding all of it.
     *
     * @param unlisted told of entries that are left out
     */
    public void forEach(Consumer<DirectoryEntry> consumer, Consumer<IOException> unlisted) throws IOException {
        Entries entries = entries(unlisted);
        for (Optional<DirectoryEntry> next = entries.next(); next.isPresent(); next = entries.next()) {
            consumer.accept(next.get());
        }
    }

    /** Begins to go through what a directory holds, as {@link #forEach}. */
    public Entries entries(Consumer<IOException> unlisted) throws IOException {
        return new Entries(this, unlisted);
    }

    /**
     * What a directory holds, page by page; failures name the directory. On another mount it is gone through from its start
     * again, silently so far as the names are those that were there before, in their order; where they are not, it
     * fails.
     */
    public static final class Entries {
        private final MountedPath directory;
        private final Consumer<IOException> unlisted;
        private Mount on;
        private Iterator<DirectoryEntry> entries;
        private long passed;
        private long names;

        private Entries(MountedPath directory, Consumer<IOException> unlisted) throws IOException {
            this.directory = directory;
            this.unlisted = unlisted;
            this.on = directory.mount;
            step(() -> null);
        }

        /** The next, whose name cannot lead out of its directory, and which may have a failure; empty at the end. */
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

        /** A number that other names, or the same in another order, hardly have. */
        private static long mixed(long before, String name) {
            long mixed = before;
            for (int i = 0; i < name.length(); i++) {
                mixed = (mixed ^ name.charAt(i)) * 0x100000001b3L; // as FNV-1a does
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

        /** Opens it where it is not, and leaves behind what was passed before. */
        private void open() throws IOException {
            if (entries != null) {
                return;
            }
            Iterator<DirectoryEntry> opened = on.entries(directory.path()).iterator();
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
    public List<Finding> explain() throws IOException {
        return call(true, Mount::explain);
    }

    /** The room on the file system that it is on. */
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
