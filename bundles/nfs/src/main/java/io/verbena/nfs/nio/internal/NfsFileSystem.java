package io.verbena.nfs.nio.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.MountOption;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** A mount as a file system of java.nio. Thread safe. */
final class NfsFileSystem extends FileSystem {
    private final NfsFileSystemProvider provider;
    private final NfsUri uri;
    private final Remote remote;
    private final long watchMillis;
    private final long maxMapBytes;
    private final NfsPath root;
    private final OpenFiles openFiles = new OpenFiles();
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private ExecutorService executor;
    private volatile boolean closed;

    /**
     * @param settings what can be set for a file system beside its mount's options
     */
    NfsFileSystem(NfsFileSystemProvider provider, NfsUri uri, MountSource source, Settings settings) {
        this.provider = provider;
        this.uri = uri;
        this.remote = new Remote(source);
        this.watchMillis = settings.watchMillis();
        this.maxMapBytes = settings.maxMapBytes();
        this.root = NfsPath.parse(this, "/");
    }

    @Override
    public NfsFileSystemProvider provider() {
        return provider;
    }

    NfsUri uri() {
        return uri;
    }

    URI uri(NfsPath path) {
        return uri.of(path.remote());
    }

    NfsPath root() {
        return root;
    }

    /** The mount, which refuses everything once this is closed. */
    Remote remote() {
        return remote;
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    FileAttributes attributes(NfsPath path, boolean follows) throws IOException {
        Listed listed = path.takeListed();
        if (listed != null && isOpen() && listed.answers(follows)) {
            return listed.attributes();
        }
        String at = path.remote();
        return remote().call(path, mount -> mount.attributes(at, follows));
    }

    void setAttributes(NfsPath path, AttributeChanges wanted, boolean follows) throws IOException {
        remote().call(path, mount -> mount.setAttributes(path.remote(), wanted, follows));
    }

    boolean exists(NfsPath path) throws IOException {
        try {
            return attributes(path, false) != null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    boolean isLink(NfsPath path) throws IOException {
        return path.getNameCount() > 0 && attributes(path, false).isSymbolicLink();
    }

    String readLink(NfsPath path) throws IOException {
        return remote().call(path, mount -> mount.readLink(path.remote()));
    }

    void delete(NfsPath path) throws IOException {
        String at = path.remote();
        remote().change(path, null, mount -> mount.remove(at), mount -> !Changes.isThere(mount, at));
    }

    void deleteIfExists(NfsPath path) throws IOException {
        try {
            delete(path);
        } catch (NoSuchFileException e) {
            // somebody was faster
        }
    }

    void opened(Closeable one) {
        open.add(one);
    }

    void closed(Closeable one) {
        open.remove(one);
    }

    long watchMillis() {
        return watchMillis;
    }

    long maxMapBytes() {
        return maxMapBytes;
    }

    /** Where completion handlers run that bring no executor of their own; ends with the file system. */
    synchronized ExecutorService executor() {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        if (executor == null) {
            executor = Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "verbena-nio-" + uri.source());
                thread.setDaemon(true);
                return thread;
            });
        }
        return executor;
    }

    /** For what waits, which the thread that tells of an answer must not; tells its failure, or why it cannot be done. */
    void await(OrderedWrites.Step step, Consumer<Throwable> failed) {
        try {
            executor().execute(() -> {
                try {
                    step.run();
                } catch (IOException | RuntimeException | Error e) {
                    failed.accept(e);
                }
            });
        } catch (RuntimeException | Error e) { // closed, for one
            failed.accept(e);
        }
    }

    /** Closes what is open in it, and unmounts where the mount is its own. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            provider.forget(this);
            closed = true;
        }
        IOException failed = null;
        for (Closeable one : open) {
            try {
                one.close();
            } catch (IOException e) {
                if (failed == null) {
                    failed = e;
                } else {
                    failed.addSuppressed(e);
                }
            }
        }
        remote.close();
        synchronized (this) {
            if (executor != null) {
                executor.shutdown();
            }
        }
        if (failed != null) {
            throw failed;
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
                            .equals(Interrupts.deferred(remote()::now)
                                    .settings()
                                    .get(MountOption.RO.key()));
        } catch (IOException e) {
            return false; // whoever writes will be told why that cannot be
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
            return List.of(); // as on this host, where a store that cannot be asked is left out
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
            // as FileSystem.getPathMatcher has it
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
        NfsWatchService service = new NfsWatchService(this);
        opened(service);
        return service;
    }

    @Override
    public String toString() {
        return uri.source();
    }
}
