package io.verbena.nfs.transfer.internal.local;

import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.FileTree;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.nfs.transfer.internal.tree.PreservedAttributes;
import io.verbena.nfs.transfer.internal.tree.UnreadableEntry;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Files of this host, in one place that the user named. What the user named may contain and be links. All below it is
 * reached name by name from open directories ({@link LocalDirectories}), and no link is followed.
 */
public final class LocalTree implements FileTree {
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.WRITE);
    private static final int PRIVATE_DIRECTORY = 0_700;
    private static final int SPECIAL_BITS = 0_7000;

    /** Does something with an object by its descriptor. */
    @FunctionalInterface
    private interface Use<T> {
        T of(FileReference object) throws IOException;
    }

    private final LocalDirectories directories = new LocalDirectories();
    private final LocalParts parts = new LocalParts();

    /**
     * Creates a tree.
     *
     * @param top the absolute path that the user named
     */
    public LocalTree(String top) {
        directories.addTop(top);
    }

    @Override
    public void addTop(String path) {
        directories.addTop(path);
    }

    @Override
    public String describe(String path) {
        return OctetText.escape(path);
    }

    @Override
    public String identity(String path) {
        return LocalNames.text(LocalNames.path(path).normalize());
    }

    @Override
    public String child(String directory, String name) {
        return directory.endsWith("/") ? directory + name : directory + "/" + name;
    }

    @Override
    public String sibling(String path, String name) {
        return child(parent(path), name);
    }

    @Override
    public String name(String path) {
        return LocalNames.name(LocalNames.path(path).normalize());
    }

    @Override
    public String parent(String path) {
        return LocalDirectories.parent(path);
    }

    /** Uses an object that the copy has made, or else what has the name now; no link is followed. */
    private <T> T use(String path, Use<T> use) throws IOException {
        LocalParts.Part part = parts.get(path);
        if (part != null) {
            return use.of(part.reference());
        }
        if (directories.isNameless(path) || directories.isAbove(path)) {
            try (LocalDirectories.Held held = directories.directory(path)) {
                return use.of(held.directory());
            }
        }
        try (LocalDirectories.Entry entry = directories.entry(path);
                FileReference object = entry.directory().refer(entry.name())) {
            return use.of(object);
        }
    }

    @Override
    public Optional<FileEntry> find(String path, boolean followLink) throws IOException {
        Optional<FileStatus> status =
                followLink && directories.isTop(path) ? NamedFile.status(LocalNames.path(path)) : status(path);
        return status.map(found -> LocalEntries.of(LocalDirectories.name(path), found));
    }

    private Optional<FileStatus> status(String path) throws IOException {
        if (directories.isNameless(path)) {
            return Optional.of(use(path, FileReference::status));
        }
        try (LocalDirectories.Entry entry = directories.entry(path)) {
            return Optional.ofNullable(entry.directory().status(entry.name()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public List<FileEntry> list(String directory, UnreadableEntry.Consumer unlisted) throws IOException {
        List<FileEntry> nodes = new ArrayList<>();
        try (LocalDirectories.Held held = directories.directory(directory)) {
            held.directory().forEachName(octets -> {
                String name = OctetText.decode(octets);
                try {
                    FileStatus status = held.directory().status(octets);
                    if (status != null) { // the entry may have been removed meanwhile
                        nodes.add(LocalEntries.of(name, status));
                    }
                } catch (IOException e) {
                    unlisted.add(name, e);
                }
                return true;
            });
        }
        return nodes;
    }

    @Override
    public boolean mayWrite(String path) throws IOException {
        return use(path, FileReference::isWritable);
    }

    @Override
    public String resolve(String path) throws IOException {
        Path file = LocalNames.path(path);
        if (!directories.isTop(path) || !Files.isSymbolicLink(file) || !Files.exists(file)) {
            return path;
        }
        String real = LocalNames.text(file.toRealPath());
        directories.addTop(real);
        return real;
    }

    @Override
    public void createDirectory(String path) throws IOException {
        try (LocalDirectories.Entry entry = directories.entry(path)) {
            entry.directory().createDirectory(entry.name(), PRIVATE_DIRECTORY);
            directories.keepMade(path, entry);
        }
    }

    @Override
    public String readLink(String path) throws IOException {
        return OctetText.decode(use(path, FileReference::readLink));
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        requireDescriptors("a symbolic link");
        if (target.isEmpty() || target.indexOf(0) >= 0) {
            throw new FileSystemException(null, null, "no link can hold this target");
        }
        try (LocalDirectories.Entry entry = directories.entry(path)) {
            entry.directory().createSymbolicLink(entry.name(), OctetText.encode(target));
        }
    }

    /** Refuses what java.nio can do by a path only, which another user could lead elsewhere. */
    private static void requireDescriptors(String what) throws IOException {
        if (!Directories.isDescriptorOnly()) {
            throw new FileSystemException(
                    null, null, what + " cannot be made safely here: the bundle io.verbena.jnr is needed, on Linux");
        }
    }

    @Override
    public void setLinkTime(String path, Instant modified) throws IOException {
        use(path, link -> {
            if (!link.status().isSymbolicLink()) {
                throw new NoSuchFileException(null);
            }
            link.setTimes(null, FileTime.from(modified));
            return null;
        });
    }

    @Override
    public void createLink(String path, String existing) throws IOException {
        requireDescriptors("a hard link");
        use(existing, object -> {
            LocalEntries.requireType(object, FileType.REGULAR);
            try (LocalDirectories.Entry entry = directories.entry(path)) {
                entry.directory().link(entry.name(), object);
            }
            return null;
        });
    }

    @Override
    public boolean hasExtendedAttributes(String path) throws IOException {
        if (directories.isTop(path)) {
            return LocalAttributes.areThere(LocalNames.path(path));
        }
        try {
            return use(path, object -> LocalAttributes.areOwn(object.extendedAttributeNames()));
        } catch (FileSystemException e) {
            return false; // the file system does not support extended attributes
        }
    }

    @Override
    public Optional<FileVersion> version(String path) {
        return Optional.empty(); // an open local file stays open
    }

    @Override
    public Optional<FileVersion> setAttributes(String path, FileType type, int mode, Instant modified)
            throws IOException {
        return use(path, object -> {
            LocalEntries.requireType(object, type);
            object.setTimes(null, FileTime.from(modified));
            object.setMode(mode);
            return Optional.empty();
        });
    }

    @Override
    public PreservedAttributes extras(String path) throws IOException {
        FileStatus status = directories.isTop(path)
                ? NamedFile.status(LocalNames.path(path)).orElseThrow(() -> new NoSuchFileException(null))
                : use(path, FileReference::status);
        return LocalEntries.extras(status);
    }

    @Override
    public Optional<FileVersion> setExtras(String path, FileType type, PreservedAttributes extras) throws IOException {
        return use(path, object -> {
            LocalEntries.requireType(object, type);
            boolean isOwned = LocalOwners.set(object, extras.owner(), extras.group());
            object.setTimes(FileTime.from(extras.accessed()), FileTime.from(extras.modified()));
            int mode = isOwned ? extras.mode() : extras.modeForOthers();
            if ((mode & SPECIAL_BITS) != 0) {
                requireDescriptors("a file with set-id bits");
            }
            object.setMode(mode);
            return Optional.empty();
        });
    }

    @Override
    public void rename(String from, String to, Optional<FileVersion> which) throws IOException {
        LocalParts.Part part = parts.get(from);
        if (part != null && !part.isUnderItsName()) {
            throw new FileSystemException(
                    null, null, "its temporary file was replaced while it was copied; copy it again");
        }
        try (LocalDirectories.Entry old = directories.entry(from);
                LocalDirectories.Entry target = directories.entry(to)) {
            old.directory().rename(old.name(), target.directory(), target.name());
        }
        parts.release(from);
        directories.forget(from);
        directories.forget(to);
    }

    @Override
    public void remove(String path) throws IOException {
        LocalParts.Part part = parts.get(path);
        try (LocalDirectories.Entry entry = directories.entry(path)) {
            FileStatus there = entry.directory().status(entry.name());
            if (there == null) {
                throw new NoSuchFileException(null);
            }
            if (part == null || there.isSameObject(part.reference().status())) {
                directories.forget(path);
                entry.directory().remove(entry.name(), there.isDirectory());
            }
        } finally {
            parts.release(path);
        }
    }

    @Override
    public void leaveBehind(String path, Optional<FileVersion> which, String target) {
        // A local file that cannot be removed now cannot be removed later.
    }

    @Override
    public void removeLeftovers(String target) {
        // A local file that can be removed is removed at once.
    }

    @Override
    public Optional<FileEntry> adopt(String path) throws IOException {
        if (status(path).isEmpty()) {
            return Optional.empty();
        }
        LocalDirectories.Entry entry = directories.entry(path);
        try {
            FileStatus status = parts.adopt(path, entry).reference().status();
            return Optional.of(LocalEntries.of(LocalDirectories.name(path), status));
        } catch (Throwable e) {
            entry.close();
            throw e;
        }
    }

    @Override
    public void release(String path) {
        parts.release(path);
    }

    @Override
    public BlockSource read(String path) throws IOException {
        LocalParts.Part part = parts.get(path);
        if (part != null) {
            return new LocalSource(new HeldFile(part.reference(), () -> {}));
        }
        if (directories.isTop(path)) {
            return new LocalSource(NamedFile.opening(LocalNames.path(path)));
        }
        return new LocalSource(HeldFile.opening(directories.entry(path)));
    }

    @Override
    public BlockSink write(String path, boolean isNew) throws IOException {
        if (isNew) {
            return new LocalSink(make(path).reference().open(WRITE), true);
        }
        if (directories.isTop(path) && parts.get(path) == null) { // a pipe or a device that the user named
            Path file = LocalNames.path(path);
            return new LocalSink(FileChannel.open(file, WRITE), Files.isRegularFile(file));
        }
        return use(path, file -> new LocalSink(file.open(WRITE), file.status().isRegular()));
    }

    private LocalParts.Part make(String path) throws IOException {
        LocalDirectories.Entry entry = directories.entry(path);
        try {
            return parts.make(path, entry);
        } catch (Throwable e) {
            entry.close();
            throw e;
        }
    }

    @Override
    public boolean isReachable() {
        return true;
    }

    @Override
    public Optional<UnresponsiveServer> unresponsiveServer() {
        return Optional.empty();
    }

    @Override
    public Map<String, Instant> temporaries(String directory, int most) throws IOException {
        Map<String, Instant> found = new HashMap<>();
        int[] seen = {0};
        try (LocalDirectories.Held held = directories.directory(directory)) {
            held.directory().forEachName(octets -> {
                String name = OctetText.decode(octets);
                FileStatus status =
                        HiddenNames.isPassing(name) ? held.directory().status(octets) : null;
                if (status != null && HiddenNames.isPassing(name, LocalEntries.type(status))) {
                    found.put(name, status.changed().toInstant());
                }
                seen[0]++;
                return seen[0] < most;
            });
        }
        return found;
    }

    @Override
    public Instant changed(String path) throws IOException {
        return use(path, object -> object.status().changed().toInstant());
    }

    @Override
    public boolean isRemote() {
        return false;
    }

    @Override
    public List<Mount> successors() {
        return List.of();
    }

    @Override
    public void close() {
        parts.close();
        directories.close();
    }
}
