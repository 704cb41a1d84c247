package io.verbena.nfs41.client.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.rpc.RpcTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.OpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A mount: see {@link Mount}. Needs no OSGi; {@link MountComponent} is what OSGi makes of it. */
public class NfsMount implements Mount, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NfsMount.class);
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);
    private static final AtomicLong INSTANCES = new AtomicLong();

    private final String name;
    private final String source;
    private final MountSettings settings;
    private final IOException unusable;
    private final TransportSource transports;
    private final Engine engine;
    private volatile boolean closed;

    /**
     * Begins to connect in the background. Options that make no sense make a mount that has failed for good.
     *
     * @param transport null where there is none yet
     */
    NfsMount(String name, String server, String export, String options, RpcTransport transport) {
        this.name = name;
        this.source = server + ":" + export;
        this.transports = new TransportSource(transport);
        MountSettings parsed = null;
        IOException bad = null;
        try {
            parsed = MountSettings.of(name, server, export, MountOptions.parse(options == null ? "" : options));
        } catch (IllegalArgumentException e) {
            bad = new IOException(e.getMessage(), e);
            LOG.warn("mount {}: {}", name, e.getMessage());
        }
        this.settings = parsed;
        this.unusable = bad;
        this.engine = parsed == null ? null : new Engine(parsed, transports);
        if (engine != null) {
            engine.start();
        }
    }

    /**
     * A mount without OSGi.
     *
     * @param options as {@code mount -o} takes them
     * @throws IllegalArgumentException for options that make no sense
     */
    public static NfsMount create(String name, String server, String export, String options, RpcTransport transport) {
        NfsMount mount = new NfsMount(name, server, export, options, transport);
        if (mount.unusable != null) {
            throw new IllegalArgumentException(mount.unusable.getMessage(), mount.unusable);
        }
        return mount;
    }

    /** What makes a client's name unique: this process, this moment, this mount. */
    static Opaque ownerOf(String mountName) {
        long pid = ProcessHandle.current().pid();
        long started = ProcessHandle.current()
                .info()
                .startInstant()
                .map(Instant::toEpochMilli)
                .orElse(0L);
        long unique = ThreadLocalRandom.current().nextLong();
        return Opaque.of("verbena/" + mountName + "/" + pid + "/" + started + "/" + INSTANCES.incrementAndGet() + "/"
                + Long.toHexString(unique));
    }

    /** A transport has come. */
    final void transportCame(RpcTransport transport) {
        transports.set(transport);
        if (engine != null) {
            engine.transportCame();
        }
    }

    /** A transport goes away: what it holds of this mount's must go with it. */
    final void transportGone(RpcTransport transport) {
        transports.unset(transport);
        if (engine != null) {
            engine.dropConnection();
        }
    }

    private Engine engine() throws IOException {
        if (unusable != null) {
            throw unusable;
        }
        if (closed) {
            throw new IOException("mount '" + name + "' has been unmounted");
        }
        return engine;
    }

    private Namespace namespace() throws IOException {
        return engine().namespace();
    }

    private Namespace writable(String path) throws IOException {
        if (engine().settings().isReadOnly()) {
            throw Errors.readOnly(namespace().shown(path));
        }
        return namespace();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String source() {
        return source;
    }

    @Override
    public MountState state() {
        if (closed) {
            return MountState.UNMOUNTED;
        }
        return unusable != null ? MountState.FAILED : engine.sessions().state();
    }

    @Override
    public Optional<IOException> failure() {
        return unusable != null ? Optional.of(unusable) : engine.sessions().failure();
    }

    @Override
    public Map<String, String> settings() {
        return settings == null ? Map.of() : new SettingsReport(settings, engine).all();
    }

    @Override
    public void connect(Duration timeout) throws IOException {
        Engine present = engine();
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a timeout of " + timeout);
        }
        present.connect(timeout);
    }

    @Override
    public void reconnect(Duration timeout) throws IOException {
        engine().link().reconnect(timeout);
    }

    @Override
    public FileAttributes attributes(String path, boolean followLink) throws IOException {
        return Blocking.await(namespace().attributes(path, followLink));
    }

    @Override
    public CompletableFuture<FileAttributes> attributesAsync(String path) {
        try {
            return namespace().attributes(path, true);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public FileAttributes setAttributes(String path, AttributeChanges changes) throws IOException {
        return Blocking.await(writable(path).setAttributes(path, changes));
    }

    @Override
    public List<DirectoryEntry> list(String path) throws IOException {
        List<DirectoryEntry> all = new ArrayList<>();
        try {
            pages(path).forEachRemaining(all::add);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return all;
    }

    @Override
    public Iterable<DirectoryEntry> entries(String path) throws IOException {
        AtomicReference<DirectoryPages> first = new AtomicReference<>(pages(path));
        return () -> {
            DirectoryPages pages = first.getAndSet(null);
            try {
                return pages != null ? pages : pages(path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private DirectoryPages pages(String path) throws IOException {
        FileHandle directory = Blocking.await(namespace().walk(path, PathWalk.Last.FOLLOWED, Tails.handle()));
        return DirectoryPages.open(engine().requester(), directory, namespace().shown(path));
    }

    @Override
    public RemoteFile open(String path, Set<? extends OpenOption> options, int mode) throws IOException {
        CompletableFuture<NfsFile> opening = engine().opener().open(path, options, mode);
        boolean taken = false;
        try {
            RemoteFile file = Blocking.await(opening);
            taken = true;
            return file;
        } finally {
            if (!taken) {
                // the OPEN may be on its way: nobody would close what it brings
                CompletableFuture<Void> unused = opening.thenCompose(NfsFile::closeAsync);
            }
        }
    }

    @Override
    public void createDirectory(String path, int mode) throws IOException {
        Blocking.await(writable(path).createDirectory(path, mode));
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        Blocking.await(writable(path).createSymbolicLink(path, target));
    }

    @Override
    public void createLink(String path, String existing) throws IOException {
        Blocking.await(writable(path).createLink(path, existing));
    }

    @Override
    public String readLink(String path) throws IOException {
        return Blocking.await(namespace().readLink(path));
    }

    @Override
    public void remove(String path) throws IOException {
        Blocking.await(writable(path).remove(path));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Blocking.await(writable(from).rename(from, to));
    }

    @Override
    public boolean mayAccess(String path, boolean read, boolean write, boolean execute) throws IOException {
        return Blocking.await(namespace().mayAccess(path, read, write, execute));
    }

    @Override
    public FileSystemStatus fileSystemStatus(String path) throws IOException {
        return Blocking.await(namespace().fileSystemStatus(path));
    }

    /** Unmounts: open files are closed, session and client given up, threads ended, all within a bound. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (engine != null) {
            engine.close(CLOSE_BOUND);
        }
    }
}
