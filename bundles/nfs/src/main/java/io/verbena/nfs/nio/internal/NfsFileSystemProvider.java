package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.nio.internal.attribute.BasicAttributes;
import io.verbena.nfs.nio.internal.attribute.Modes;
import io.verbena.nfs.nio.internal.attribute.NamedAttributes;
import io.verbena.nfs.nio.internal.attribute.NfsFileStore;
import io.verbena.nfs.nio.internal.attribute.PosixAttributes;
import io.verbena.nfs.nio.internal.attribute.Views;
import io.verbena.nfs.nio.internal.file.OpenOptions;
import io.verbena.nfs.nio.internal.mount.ExternalMount;
import io.verbena.nfs.nio.internal.mount.NfsUri;
import io.verbena.nfs.nio.internal.path.LinkOptions;
import io.verbena.nfs.nio.internal.path.NfsPath;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
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
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.spi.FileSystemProvider;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * The provider of the scheme {@code nfs+rdma}. java.nio finds it on a plain class path; in OSGi it is a service. Thread
 * safe.
 */
@Component(
        service = FileSystemProvider.class,
        property = "scheme=" + NfsUri.SCHEME,
        immediate = true) // file systems stay open while no bundle uses the service
public final class NfsFileSystemProvider extends FileSystemProvider {
    private final KnownFileSystems known;

    /** Called by java.nio without OSGi: the provider makes its own runtime. */
    public NfsFileSystemProvider() {
        this(new SystemRuntime());
    }

    /** Called by Declarative Services. */
    @Activate
    public NfsFileSystemProvider(@Reference Runtime runtime) {
        known = new KnownFileSystems(this, runtime);
    }

    /** A mount with a name has come. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void addMount(Mount mount) {
        known.mounts().add(mount.name(), mount);
    }

    /** A mount goes. */
    public void removeMount(Mount mount) {
        known.mounts().remove(mount);
    }

    /** A factory of mounts has come. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void addFactory(MountFactory factory) {
        known.factories().add(factory);
    }

    /** A factory goes. The mounts that it has made are replaced when they are used next. */
    public void removeFactory(MountFactory factory) {
        known.factories().remove(factory);
    }

    /** Closes all file systems: the bundle stops. */
    @Deactivate
    void deactivate() throws IOException {
        known.closeAll();
    }

    /** A file system over a mount that stays the caller's. */
    public FileSystem over(Mount mount) {
        NfsUri uri = new NfsUri(mount.name(), null, "/", MountOptions.DEFAULTS);
        return known.over(uri, new ExternalMount(mount));
    }

    void forget(NfsFileSystem fileSystem) {
        known.forget(fileSystem);
    }

    @Override
    public String getScheme() {
        return NfsUri.SCHEME;
    }

    /** Mounts, and throws if that fails. Closing the file system unmounts. */
    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) throws IOException {
        Map<String, Object> options = new HashMap<>(env);
        FileSystemSettings settings = FileSystemSettings.takenFrom(options);
        NfsUri root = NfsUri.parse(uri, options).explicit();
        NfsFileSystem made = known.add(root, settings);
        boolean connected = false;
        try {
            made.mount().call(null, mount -> {
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
        NfsPath at = NfsPath.of(path);
        return NfsFileSystem.of(at).open(at, OpenOptions.of(options), Modes.of(Modes.FILE, attributes), true);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        NfsPath at = NfsPath.of(path);
        return NfsFileSystem.of(at).open(at, OpenOptions.of(options), Modes.of(Modes.FILE, attributes), false);
    }

    @Override
    public AsynchronousFileChannel newAsynchronousFileChannel(
            Path path, Set<? extends OpenOption> options, ExecutorService executor, FileAttribute<?>... attributes)
            throws IOException {
        NfsPath at = NfsPath.of(path);
        OpenOptions how = OpenOptions.of(options);
        if (how.append()) {
            // as AsynchronousFileChannel.open specifies
            throw new UnsupportedOperationException("an asynchronous channel has no position to APPEND at");
        }
        return NfsFileSystem.of(at).openAsynchronous(at, how, Modes.of(Modes.FILE, attributes), executor);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        return new NfsSecureDirectory(NfsPath.of(directory), filter);
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        TreeOperations.createDirectory(NfsPath.of(directory), Modes.of(Modes.DIRECTORY, attributes));
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
        if (attributes.length > 0) {
            // as Files.createSymbolicLink specifies for attributes that cannot be set atomically
            throw new UnsupportedOperationException("a symbolic link has no attributes of its own to set");
        }
        TreeOperations.createSymbolicLink(NfsPath.of(link), NfsPath.of(target));
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        NfsPath at = NfsPath.of(link);
        NfsPath from = NfsPath.of(existing);
        if (at.system() != from.system()) {
            throw new FileSystemException(link.toString(), existing.toString(), "they are on different mounts");
        }
        TreeOperations.createLink(at, from);
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
        TreeOperations.copy(NfsPath.of(source), NfsPath.of(target), NioCopyOptions.of(options));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        TreeOperations.move(NfsPath.of(source), NfsPath.of(target), NioCopyOptions.of(options));
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        NfsPath at = NfsPath.of(path);
        return at.equals(Objects.requireNonNull(other))
                || (other instanceof NfsPath that && TreeOperations.isSameFile(at, that));
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
                .mount()
                .call(
                        at,
                        mount -> mount.mayAccess(
                                at.mountPath(),
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
        return Views.of(() -> at, type, LinkOptions.follows(options));
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (Objects.requireNonNull(type) != BasicFileAttributes.class && type != PosixFileAttributes.class) {
            // as Files.readAttributes specifies
            throw new UnsupportedOperationException("there are no " + type.getSimpleName() + " here");
        }
        NfsPath at = NfsPath.of(path);
        FileAttributes attributes = at.system().attributes(at, LinkOptions.follows(options));
        return type.cast(
                type == PosixFileAttributes.class ? new PosixAttributes(attributes) : new BasicAttributes(attributes));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return NamedAttributes.read(NfsPath.of(path), attributes, LinkOptions.follows(options));
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        NamedAttributes.set(NfsPath.of(path), attribute, value, LinkOptions.follows(options));
    }
}
