package io.verbena.nfs.nio.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.nio.internal.attribute.NamedAttributes;
import io.verbena.nfs.nio.internal.attribute.NfsFileStore;
import io.verbena.nfs.nio.internal.attribute.Principals;
import io.verbena.nfs.nio.internal.channel.NfsAsynchronousFileChannel;
import io.verbena.nfs.nio.internal.channel.NfsFileChannel;
import io.verbena.nfs.nio.internal.channel.OrderedWrites;
import io.verbena.nfs.nio.internal.directory.NfsDirectoryChannel;
import io.verbena.nfs.nio.internal.directory.NfsWatchService;
import io.verbena.nfs.nio.internal.file.OpenFile;
import io.verbena.nfs.nio.internal.file.OpenFiles;
import io.verbena.nfs.nio.internal.file.OpenOptions;
import io.verbena.nfs.nio.internal.mount.Closing;
import io.verbena.nfs.nio.internal.mount.Interrupts;
import io.verbena.nfs.nio.internal.mount.MountSource;
import io.verbena.nfs.nio.internal.mount.NfsUri;
import io.verbena.nfs.nio.internal.path.Glob;
import io.verbena.nfs.nio.internal.path.MountTree;
import io.verbena.nfs.nio.internal.path.NfsPath;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** A mount as a file system of java.nio. Thread safe. */
final class NfsFileSystem extends MountTree {
    /** How long a thread of the executor waits for a further task before the thread ends. */
    private static final Duration IDLE = Duration.ofSeconds(60);

    private final NfsFileSystemProvider provider;
    private final NfsUri uri;
    private final long watchMillis;
    private final long maxMapBytes;
    private final NfsPath root;
    private final OpenFiles openFiles = new OpenFiles(runtime());

    @GuardedBy("this")
    private ExecutorService executor;

    private volatile boolean closed;

    /** @param settings settings beside the options of the mount */
    NfsFileSystem(
            NfsFileSystemProvider provider,
            NfsUri uri,
            MountSource source,
            FileSystemSettings settings,
            Runtime runtime) {
        super(source, runtime);
        this.provider = provider;
        this.uri = uri;
        this.watchMillis = settings.watchMillis();
        this.maxMapBytes = settings.maxMapBytes();
        this.root = NfsPath.parse(this, "/");
    }

    @Override
    public NfsFileSystemProvider provider() {
        return provider;
    }

    /** The file system of a path. */
    static NfsFileSystem of(NfsPath path) {
        return (NfsFileSystem) path.system(); // no other class extends MountTree
    }

    NfsUri uri() {
        return uri;
    }

    @Override
    public URI uri(NfsPath path) {
        return uri.of(path.mountPath());
    }

    @Override
    public NfsPath root() {
        return root;
    }

    /**
     * @param behind whether writes may return before the server has them
     */
    FileChannel open(NfsPath path, OpenOptions options, int mode, boolean behind) throws IOException {
        try {
            return new NfsFileChannel(openFile(path, options, mode), behind, maxMapBytes);
        } catch (NfsException e) {
            if (!options.write() && e.status().equals("NFS4ERR_ISDIR")) {
                return new NfsDirectoryChannel(path);
            }
            throw e;
        }
    }

    private OpenFile openFile(NfsPath path, OpenOptions options, int mode) throws IOException {
        if (options.first().contains(StandardOpenOption.CREATE_NEW) && options.write()) {
            TreeOperations.requireNamed(path);
        }
        try {
            return OpenFile.open(openFiles, path, options, mode);
        } catch (NfsException e) {
            if (options.follows() || !e.status().equals("NFS4ERR_SYMLINK")) {
                throw e;
            }
            FileSystemException refused = new FileSystemException(
                    path.toString(), null, "it is a symbolic link, which is not to be followed");
            refused.initCause(e);
            throw refused;
        }
    }

    /**
     * @param given where completion handlers run; null for an executor of this file system
     */
    AsynchronousFileChannel openAsynchronous(NfsPath path, OpenOptions options, int mode, ExecutorService given)
            throws IOException {
        ExecutorService handlers = given == null ? executor() : given;
        return new NfsAsynchronousFileChannel(openFile(path, options, mode), handlers, this::await);
    }

    /** The executor of completion handlers for which the caller gives none. It ends with the file system. */
    synchronized ExecutorService executor() {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        if (executor == null) {
            executor = runtime().newExecutor("verbena-nio-" + uri.source(), IDLE);
        }
        return executor;
    }

    /** Executes a step that may wait, on a thread of the executor: the thread that completes a call must not wait. */
    void await(OrderedWrites.Step step, Consumer<Throwable> failed) {
        try {
            executor().execute(() -> {
                try {
                    step.run();
                } catch (Throwable e) {
                    failed.accept(e);
                }
            });
        } catch (Throwable e) { // the file system is closed, for example
            failed.accept(e);
        }
    }

    /** Closes all that is open in the file system, and unmounts if the mount belongs to it. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            provider.forget(this);
            closed = true;
        }
        Closing closing = new Closing();
        closeAll(closing);
        closing.run(this::endExecutor);
        closing.end();
    }

    private synchronized void endExecutor() {
        if (executor != null) {
            executor.shutdown();
        }
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isReadOnly() {
        try {
            return uri.options().isSet(MountOption.RO)
                    || "true"
                            .equals(Interrupts.deferred(mount()::now).settings().get(MountOption.RO.key()));
        } catch (IOException e) {
            return false; // a writer is told the reason
        }
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(root);
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        try {
            return List.of(NfsFileStore.of(root));
        } catch (IOException e) {
            return List.of(); // as for local file systems: a store that cannot be read is left out
        }
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return NamedAttributes.VIEWS;
    }

    @Override
    public NfsPath getPath(String first, String... more) {
        List<String> parts = new ArrayList<>();
        if (!first.isEmpty()) {
            parts.add(first);
        }
        for (String part : more) {
            if (!part.isEmpty()) {
                parts.add(part);
            }
        }
        return NfsPath.parse(this, String.join("/", parts));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        int colon = syntaxAndPattern.indexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("'" + syntaxAndPattern + "' is not of the form syntax:pattern");
        }
        String pattern = syntaxAndPattern.substring(colon + 1);
        String syntax = syntaxAndPattern.substring(0, colon);
        Pattern compiled;
        if (syntax.equalsIgnoreCase("glob")) {
            compiled = Glob.compile(pattern);
        } else if (syntax.equalsIgnoreCase("regex")) {
            compiled = Pattern.compile(pattern);
        } else {
            // as FileSystem.getPathMatcher specifies
            throw new UnsupportedOperationException("syntax '" + syntax + "' is not known: glob and regex are");
        }
        return path -> compiled.matcher(path.toString()).matches();
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return new Principals();
    }

    @Override
    public WatchService newWatchService() {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        NfsWatchService service = new NfsWatchService(this, watchMillis);
        opened(service);
        return service;
    }

    @Override
    public String toString() {
        return uri.source();
    }
}
