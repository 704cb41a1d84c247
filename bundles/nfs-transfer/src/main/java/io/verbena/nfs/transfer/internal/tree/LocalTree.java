package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.walk.FileKey;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/** The files of this host. */
final class LocalTree implements FileTree {
    /** The permissions from the highest bit of a mode to the lowest. */
    private static final List<PosixFilePermission> PERMISSIONS = List.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    private static final String WANTED = "unix:mode,nlink,dev,ino,size,lastModifiedTime";

    /** The bits of a mode that hold the type of the file, {@code S_IFMT}. */
    private static final int TYPE_BITS = 0_170000;

    private static final Map<Integer, FileType> TYPES = Map.of(
            0_100000, FileType.REGULAR,
            0_040000, FileType.DIRECTORY,
            0_120000, FileType.SYMBOLIC_LINK,
            0_060000, FileType.BLOCK_DEVICE,
            0_020000, FileType.CHARACTER_DEVICE,
            0_140000, FileType.SOCKET,
            0_010000, FileType.FIFO);

    private final Function<Path, List<String>> attributeNames;

    /**
     * Creates the tree of this host.
     *
     * @param attributeNames see {@link Trees}
     */
    LocalTree(Function<Path, List<String>> attributeNames) {
        this.attributeNames = attributeNames;
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
        return LocalNames.text(LocalNames.path(path).resolveSibling(LocalNames.path(name)));
    }

    @Override
    public String name(String path) {
        return LocalNames.name(LocalNames.path(path).normalize());
    }

    @Override
    public Optional<FileEntry> find(String path, boolean followLink) throws IOException {
        Path file = LocalNames.path(path);
        return find(file, LocalNames.name(file), followLink);
    }

    private static Optional<FileEntry> find(Path file, String name, boolean followLink) throws IOException {
        LinkOption[] options = followLink ? new LinkOption[0] : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
        try {
            return Optional.of(node(name, Files.readAttributes(file, WANTED, options)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static FileEntry node(String name, Map<String, Object> unix) {
        int mode = (int) unix.get("mode");
        FileType type = TYPES.getOrDefault(mode & TYPE_BITS, FileType.OTHER);
        boolean hasKey = type == FileType.DIRECTORY || (type == FileType.REGULAR && (int) unix.get("nlink") > 1);
        return new FileEntry(
                name,
                type,
                (long) unix.get("size"),
                mode & 0_777,
                ((FileTime) unix.get("lastModifiedTime")).toInstant(),
                hasKey ? new FileKey("", 0, (long) unix.get("dev"), (long) unix.get("ino")) : null);
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < PERMISSIONS.size(); i++) {
            if ((mode & 0_400 >> i) != 0) {
                permissions.add(PERMISSIONS.get(i));
            }
        }
        return permissions;
    }

    @Override
    public List<FileEntry> list(String directory, UnreadableEntry.Consumer unlisted) throws IOException {
        List<FileEntry> nodes = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(LocalNames.path(directory))) {
            for (Path entry : entries) {
                String name = LocalNames.name(entry);
                try {
                    find(entry, name, false).ifPresent(nodes::add); // the entry may have been removed meanwhile
                } catch (IOException e) {
                    unlisted.add(name, e);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return nodes;
    }

    @Override
    public boolean mayWrite(String path) {
        return Files.isWritable(LocalNames.path(path));
    }

    @Override
    public String resolve(String path) throws IOException {
        Path file = LocalNames.path(path);
        return Files.isSymbolicLink(file) && Files.exists(file) ? LocalNames.text(file.toRealPath()) : path;
    }

    @Override
    public void createDirectory(String path) throws IOException {
        Files.createDirectory(
                LocalNames.path(path),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    @Override
    public String readLink(String path) throws IOException {
        return LocalNames.text(Files.readSymbolicLink(LocalNames.path(path)));
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        Files.createSymbolicLink(LocalNames.path(path), LocalNames.linkTarget(target));
    }

    @Override
    public void setLinkTime(String path, Instant modified) throws IOException {
        Files.getFileAttributeView(LocalNames.path(path), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(FileTime.from(settable(modified)), null, null);
    }

    @Override
    public void createLink(String path, String existing) throws IOException {
        Files.createLink(LocalNames.path(path), LocalNames.path(existing));
    }

    @Override
    public boolean hasExtendedAttributes(String path) throws IOException {
        return LocalAttributes.areThere(LocalNames.path(path), attributeNames);
    }

    @Override
    public Optional<FileVersion> version(String path) {
        return Optional.empty(); // an open local file stays open
    }

    @Override
    public Optional<FileVersion> setAttributes(String path, int mode, Instant modified) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(LocalNames.path(path), PosixFileAttributeView.class);
        view.setTimes(FileTime.from(settable(modified)), null, null);
        view.setPermissions(permissions(mode));
        return version(path);
    }

    @Override
    public PreservedAttributes extras(String path) throws IOException {
        Map<String, Object> unix = Files.readAttributes(LocalNames.path(path), "unix:*");
        return new PreservedAttributes(
                (int) unix.get("mode") & 0_7777,
                unix.get("uid").toString(),
                unix.get("gid").toString(),
                ((FileTime) unix.get("lastAccessTime")).toInstant(),
                ((FileTime) unix.get("lastModifiedTime")).toInstant());
    }

    @Override
    public Optional<FileVersion> setExtras(String path, PreservedAttributes extras) throws IOException {
        Path file = LocalNames.path(path);
        boolean isOwned = LocalOwners.set(file, extras.owner(), extras.group());
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        view.setTimes(FileTime.from(settable(extras.modified())), FileTime.from(settable(extras.accessed())), null);
        Files.setAttribute(file, "unix:mode", isOwned ? extras.mode() : extras.modeForOthers());
        return version(path);
    }

    /**
     * Returns a time that the JDK sets correctly. The JDK sets the year 1970 instead of an earlier time with a fraction
     * of a second, so the fraction is removed.
     */
    private static Instant settable(Instant time) {
        return time.isBefore(Instant.EPOCH) ? time.truncatedTo(ChronoUnit.SECONDS) : time;
    }

    @Override
    public void rename(String from, String to, Optional<FileVersion> which) throws IOException {
        Files.move(
                LocalNames.path(from),
                LocalNames.path(to),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void remove(String path) throws IOException {
        Files.delete(LocalNames.path(path));
    }

    @Override
    public void leaveBehind(String path, FileVersion which, String target) {
        // A local file that cannot be removed now cannot be removed later.
    }

    @Override
    public void removeLeftovers(String target) {
        // A local file that can be removed is removed at once.
    }

    @Override
    public BlockSource read(String path) throws IOException {
        return new LocalSource(LocalNames.path(path));
    }

    @Override
    public BlockSink write(String path, boolean isNew) throws IOException {
        Path file = LocalNames.path(path);
        Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.WRITE);
        if (isNew) {
            options.add(StandardOpenOption.CREATE_NEW);
        }
        FileChannel channel = FileChannel.open(
                file, options, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return new Sink(channel, isNew || Files.isRegularFile(file));
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
    public String parent(String path) {
        Path parent = LocalNames.path(path).getParent();
        return parent == null ? "." : LocalNames.text(parent);
    }

    @Override
    public Map<String, Instant> changes(String directory, Predicate<String> wanted, int most) throws IOException {
        Map<String, Instant> found = new HashMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(LocalNames.path(directory))) {
            int seen = 0;
            for (Iterator<Path> each = entries.iterator(); seen < most && each.hasNext(); seen++) {
                Path entry = each.next();
                String name = LocalNames.name(entry);
                if (wanted.test(name) && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                    found.put(name, changed(entry));
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    @Override
    public Instant changed(String path) throws IOException {
        return changed(LocalNames.path(path));
    }

    private static Instant changed(Path path) throws IOException {
        return ((FileTime) Files.getAttribute(path, "unix:ctime", LinkOption.NOFOLLOW_LINKS)).toInstant();
    }

    @Override
    public boolean isRemote() {
        return false;
    }

    @Override
    public List<Mount> successors() {
        return List.of();
    }

    private record Sink(FileChannel channel, boolean canHaveHoles) implements BlockSink {
        @Override
        public boolean keepsWrites() {
            return true; // octets in the page cache survive every replacement of a mount
        }

        @Override
        public CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException {
            long next = position;
            while (source.hasRemaining()) {
                // A device or a pipe has no positions, and receives the blocks in order.
                next += canHaveHoles ? channel.write(source, next) : channel.write(source);
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void checkpoint() {
            // Every write is a checkpoint.
        }

        @Override
        public void finish(long size) throws IOException {
            if (canHaveHoles && channel.size() < size) {
                channel.write(ByteBuffer.allocate(1), size - 1);
            } else if (canHaveHoles && channel.size() > size) {
                channel.truncate(size);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
