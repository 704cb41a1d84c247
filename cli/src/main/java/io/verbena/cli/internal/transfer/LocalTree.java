package io.verbena.cli.internal.transfer;

import io.verbena.cli.LocalNames;
import io.verbena.cli.Text;
import io.verbena.cli.internal.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Files of this host. */
final class LocalTree implements FileTree {
    static final LocalTree INSTANCE = new LocalTree();

    /** From the highest bit of a mode to the lowest. */
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

    /** Those of the mode that are the type, {@code S_IFMT}. */
    private static final int TYPE_BITS = 0_170000;

    private static final Map<Integer, FileType> TYPES = Map.of(
            0_100000, FileType.REGULAR,
            0_040000, FileType.DIRECTORY,
            0_120000, FileType.SYMBOLIC_LINK,
            0_060000, FileType.BLOCK_DEVICE,
            0_020000, FileType.CHARACTER_DEVICE,
            0_140000, FileType.SOCKET,
            0_010000, FileType.FIFO);

    private LocalTree() {}

    @Override
    public String describe(String path) {
        return Text.name(path);
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
    public Optional<Node> find(String path, boolean followLink) throws IOException {
        Path file = LocalNames.path(path);
        return find(file, LocalNames.name(file), followLink);
    }

    private static Optional<Node> find(Path file, String name, boolean followLink) throws IOException {
        LinkOption[] options = followLink ? new LinkOption[0] : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
        try {
            return Optional.of(node(name, Files.readAttributes(file, WANTED, options)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Node node(String name, Map<String, Object> unix) {
        int mode = (int) unix.get("mode");
        FileType type = TYPES.getOrDefault(mode & TYPE_BITS, FileType.OTHER);
        boolean hasKey = type == FileType.DIRECTORY || (type == FileType.REGULAR && (int) unix.get("nlink") > 1);
        return new Node(
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
    public List<Node> list(String directory, Unlisted.Consumer unlisted) throws IOException {
        List<Node> nodes = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(LocalNames.path(directory))) {
            for (Path entry : entries) {
                String name = LocalNames.name(entry);
                try {
                    find(entry, name, false).ifPresent(nodes::add); // it may have gone meanwhile
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
        return LocalAttributes.areThere(LocalNames.path(path));
    }

    @Override
    public Optional<FileVersion> version(String path) {
        return Optional.empty(); // what is open here stays open
    }

    @Override
    public Optional<FileVersion> setAttributes(String path, int mode, Instant modified) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(LocalNames.path(path), PosixFileAttributeView.class);
        view.setTimes(FileTime.from(settable(modified)), null, null);
        view.setPermissions(permissions(mode));
        return version(path);
    }

    @Override
    public Extras extras(String path) throws IOException {
        Map<String, Object> unix = Files.readAttributes(LocalNames.path(path), "unix:*");
        return new Extras(
                (int) unix.get("mode") & 0_7777,
                unix.get("uid").toString(),
                unix.get("gid").toString(),
                ((FileTime) unix.get("lastAccessTime")).toInstant(),
                ((FileTime) unix.get("lastModifiedTime")).toInstant());
    }

    @Override
    public Optional<FileVersion> setExtras(String path, Extras extras) throws IOException {
        Path file = LocalNames.path(path);
        boolean isOwned = LocalOwners.set(file, extras.owner(), extras.group());
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        view.setTimes(FileTime.from(settable(extras.modified())), FileTime.from(settable(extras.accessed())), null);
        Files.setAttribute(file, "unix:mode", isOwned ? extras.mode() : extras.modeForOthers());
        return version(path);
    }

    /** The JDK sets 1970 in place of a time before it that has a fraction of a second: none is left. */
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
        // what cannot be removed here now cannot be later
    }

    @Override
    public void removeLeftovers(String target) {
        // what can be removed here is at once
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
            return true; // what the system has is safe from whatever happens to a mount
        }

        @Override
        public CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException {
            long next = position;
            while (source.hasRemaining()) {
                // a device or a pipe has no positions; blocks come in order
                next += canHaveHoles ? channel.write(source, next) : channel.write(source);
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void checkpoint() {
            // every write is one
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
