package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.NfsException;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.spi.FileSystemProvider;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * The provider of the scheme {@code nfs+rdma}: found by java.nio on a plain class path, a service in OSGi. Thread safe.
 */
@Component(
        service = FileSystemProvider.class,
        property = "scheme=" + NfsUri.SCHEME,
        immediate = true) // file systems do not go away because nobody asks for the service for a while
public final class NfsFileSystemProvider extends FileSystemProvider {
    private final KnownFileSystems known = new KnownFileSystems(this);

    /** As java.nio makes it, and Declarative Services. */
    public NfsFileSystemProvider() {}

    /** A mount that has a name has come. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void addMount(Mount mount) {
        known.mounts().add(mount.name(), mount);
    }

    /** A mount goes. */
    public void removeMount(Mount mount) {
        known.mounts().remove(mount);
    }

    /** What makes mounts has come. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void addFactory(MountFactory factory) {
        known.factories().add(factory);
    }

    /** What makes mounts goes: those that it has made are replaced. */
    public void removeFactory(MountFactory factory) {
        known.factories().remove(factory);
    }

    /** File systems end with the bundle. */
    @Deactivate
    void deactivate() throws IOException {
        known.closeAll();
    }

    /** A file system over a mount that stays the caller's, of a provider that knows no other. */
    public FileSystem over(Mount mount) {
        NfsUri uri = new NfsUri(mount.name(), null, "/", MountOptions.DEFAULTS);
        return known.over(uri, new FixedMount(mount));
    }

    void forget(NfsFileSystem fileSystem) {
        known.forget(fileSystem);
    }

    @Override
    public String getScheme() {
        return NfsUri.SCHEME;
    }

    /** Mounts, or fails; the file system ends the mount when it is closed. */
    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) throws IOException {
        Map<String, Object> options = new HashMap<>(env);
        Settings settings = Settings.takenFrom(options);
        NfsUri root = NfsUri.parse(uri, options).explicit();
        NfsFileSystem made = known.add(root, settings);
        boolean connected = false;
        try {
            made.remote().call(null, mount -> {
                mount.connect(Duration.ofSeconds(root.options().number(MountOption.SWAP_TIMEOUT)));
                return mount;
            });
            connected = true;
        } finally {
            if (!connected) {
                made.close();
            }
        }
        return made;
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        return known.get(NfsUri.parse(uri, Map.of()));
    }

    @Override
    public Path getPath(URI uri) {
        NfsUri named = NfsUri.parse(uri, Map.of());
        NfsFileSystem fileSystem = known.getOrMake(named);
        return fileSystem.getPath(named.pathWithin(fileSystem.uri()));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return open(NfsPath.of(path), Options.open(options), Options.mode(Modes.FILE, attributes), true);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return open(NfsPath.of(path), Options.open(options), Options.mode(Modes.FILE, attributes), false);
    }

    /**
     * @param behind whether writes may return before the server has them
     */
    FileChannel open(NfsPath path, Options.Open options, int mode, boolean behind) throws IOException {
        try {
            return new NfsFileChannel(path.system(), openFile(path, options, mode), behind);
        } catch (NfsException e) {
            if (!options.write() && e.status().equals("NFS4ERR_ISDIR")) {
                return new NfsDirectoryChannel(path);
            }
            throw e;
        }
    }

    private static OpenFile openFile(NfsPath path, Options.Open options, int mode) throws IOException {
        NfsFileSystem fileSystem = path.system();
        if (options.first().contains(StandardOpenOption.CREATE_NEW) && options.write()) {
            Changes.requireNamed(path);
        }
        if (!options.follows() && fileSystem.exists(path) && fileSystem.isLink(path)) {
            throw new FileSystemException(path.toString(), null, "it is a symbolic link, which is not to be followed");
        }
        return OpenFile.open(fileSystem, path, options, mode);
    }

    @Override
    public AsynchronousFileChannel newAsynchronousFileChannel(
            Path path, Set<? extends OpenOption> options, ExecutorService executor, FileAttribute<?>... attributes)
            throws IOException {
        NfsPath at = NfsPath.of(path);
        Options.Open how = Options.open(options);
        if (how.append()) {
            // as AsynchronousFileChannel.open has it
            throw new UnsupportedOperationException("an asynchronous channel has no position to APPEND at");
        }
        ExecutorService handlers = executor == null ? at.system().executor() : executor;
        return new NfsAsynchronousFileChannel(
                at.system(), openFile(at, how, Options.mode(Modes.FILE, attributes)), handlers);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        return new NfsDirectoryStream(NfsPath.of(directory), filter);
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        Changes.createDirectory(NfsPath.of(directory), Options.mode(Modes.DIRECTORY, attributes));
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
        if (attributes.length > 0) {
            // as Files.createSymbolicLink has it for what cannot be set in the same step
            throw new UnsupportedOperationException("a symbolic link has no attributes of its own to set");
        }
        Changes.createSymbolicLink(NfsPath.of(link), NfsPath.of(target));
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        NfsPath at = NfsPath.of(link);
        NfsPath from = NfsPath.of(existing);
        if (at.system() != from.system()) {
            throw new FileSystemException(link.toString(), existing.toString(), "they are on different mounts");
        }
        Changes.createLink(at, from);
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        NfsPath at = NfsPath.of(link);
        return NfsPath.parse(at.system(), at.system().readLink(at));
    }

    @Override
    public void delete(Path path) throws IOException {
        NfsPath at = NfsPath.of(path);
        at.system().delete(at);
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        Changes.copy(NfsPath.of(source), NfsPath.of(target), Options.copy(options));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        Changes.move(NfsPath.of(source), NfsPath.of(target), Options.copy(options));
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        NfsPath at = NfsPath.of(path);
        return at.equals(Objects.requireNonNull(other))
                || (other instanceof NfsPath that && Changes.isSameFile(at, that));
    }

    @Override
    public boolean isHidden(Path path) {
        NfsPath name = NfsPath.of(path).getFileName();
        return name != null && name.toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        NfsPath at = NfsPath.of(path);
        return NfsFileStore.of(at);
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        NfsPath at = NfsPath.of(path);
        Set<AccessMode> wanted = Set.copyOf(Arrays.asList(modes));
        at.system().attributes(at, true);
        if (wanted.isEmpty()) {
            return;
        }
        boolean may = at.system()
                .remote()
                .call(
                        at,
                        mount -> mount.mayAccess(
                                at.remote(),
                                wanted.contains(AccessMode.READ),
                                wanted.contains(AccessMode.WRITE),
                                wanted.contains(AccessMode.EXECUTE)));
        if (!may) {
            throw new AccessDeniedException(path.toString(), null, "the server does not let this user");
        }
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        NfsPath at = NfsPath.of(path);
        boolean follows = Options.follows(options);
        if (Objects.requireNonNull(type) == BasicFileAttributeView.class) {
            return type.cast(new BasicView(at, follows));
        }
        if (type == PosixFileAttributeView.class) {
            return type.cast(new PosixView(at, follows));
        }
        return type == FileOwnerAttributeView.class ? type.cast(new OwnerView(new PosixView(at, follows))) : null;
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (Objects.requireNonNull(type) != BasicFileAttributes.class && type != PosixFileAttributes.class) {
            // as Files.readAttributes has it
            throw new UnsupportedOperationException("there are no " + type.getSimpleName() + " here");
        }
        NfsPath at = NfsPath.of(path);
        FileAttributes remote = at.system().attributes(at, Options.follows(options));
        return type.cast(type == PosixFileAttributes.class ? new PosixAttributes(remote) : new BasicAttributes(remote));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return NamedAttributes.read(NfsPath.of(path), attributes, Options.follows(options));
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        NamedAttributes.set(NfsPath.of(path), attribute, value, Options.follows(options));
    }
}
