package io.verbena.nfs41.client.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Finding;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.MountState;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.Waiting;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.Handover.Predecessor;
import io.verbena.rpc.RpcTransport;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mount: see {@link io.verbena.nfs.Mount}. Needs no OSGi; {@link MountComponent} is what OSGi makes of it.
 */
public class NfsMount implements ClosableMount {
    private static final Logger LOG = LoggerFactory.getLogger(NfsMount.class);
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);
    /** How long requests under way may take by a transport that goes. */
    private static final Duration LEAVE_BOUND = Duration.ofSeconds(2);

    private final Instant made = Instant.now();
    private final String name;
    private final String source;
    private final MountSettings settings;
    private final IOException unusable;
    private final TransportSource transports;
    private final Engine engine;
    private final Lifetime lifetime;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ClientOwner owner;
    private final Runnable onClosed;

    /**
     * Begins to connect in the background. Options that make no sense make a mount that has failed for good.
     *
     * @param transport null where there is none yet
     */
    NfsMount(String name, String server, String export, String options, RpcTransport transport) {
        this(name, server, export, options, transport, Optional.empty(), () -> {});
    }

    /**
     * As above.
     *
     * @param predecessor the mount whose place this one takes
     * @param onClosed called when it has ended and nothing of it is left
     */
    NfsMount(
            String name,
            String server,
            String export,
            String options,
            RpcTransport transport,
            Optional<Predecessor> predecessor,
            Runnable onClosed) {
        this.name = name;
        this.onClosed = onClosed;
        this.source = server + ":" + export;
        this.transports = new TransportSource(transport);
        this.lifetime = new Lifetime(name);
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
        this.owner = parsed == null
                ? null
                : ClientOwner.take(name, parsed.credential(), predecessor.map(Predecessor::owner));
        this.engine = parsed == null ? null : new Engine(parsed, transports, lifetime, owner.id());
        if (engine != null) {
            predecessor.ifPresent(engine::succeed);
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
        return create(name, server, export, options, transport, () -> {});
    }

    /**
     * As above.
     *
     * @param onClosed called when it has ended and nothing of it is left
     */
    public static NfsMount create(
            String name, String server, String export, String options, RpcTransport transport, Runnable onClosed) {
        NfsMount mount = new NfsMount(name, server, export, options, transport, Optional.empty(), onClosed);
        if (mount.unusable != null) {
            throw new IllegalArgumentException(mount.unusable.getMessage(), mount.unusable);
        }
        return mount;
    }

    /** A transport has come. */
    final void transportCame(RpcTransport transport) {
        transports.set(transport);
        if (engine != null && !lifetime.isEnded()) {
            engine.transportCame();
        }
    }

    /**
     * A transport goes away: what it holds of this mount's must go with it. It works still, so that what is under way
     * can be waited for a while.
     */
    final void transportGone(RpcTransport transport) {
        transportGone(transport, LEAVE_BOUND);
    }

    final void transportGone(RpcTransport transport, Duration bound) {
        transports.unset(transport);
        if (engine != null) {
            engine.transportGone(transport, bound);
        }
    }

    /** Somebody wants to be told of swaps. */
    final void listen(SwapListener listener) {
        if (engine != null) {
            engine.swaps().listener(listener);
        }
    }

    /** Somebody does not want to be told of swaps any more. */
    final void listenNoMore(SwapListener listener) {
        if (engine != null) {
            engine.swaps().noListener(listener);
        }
    }

    /** Whether there is anything to go on with for one that takes its place. */
    final boolean wasMounted() {
        return engine != null && engine.sessions().wasMounted();
    }

    /** What was replaced under it until now. */
    final Swaps.Past past() {
        return engine.past();
    }

    /** The client owner that the server knows it by. */
    final Opaque owner() {
        return owner.id();
    }

    private Engine engine() throws IOException {
        if (unusable != null) {
            throw unusable;
        }
        lifetime.requireGoing();
        return engine;
    }

    /** One operation, which the mount's end waits for. */
    private <T> T await(Lifetime.Step<T> step) throws IOException {
        engine();
        return Blocking.await(lifetime.operation(step));
    }

    private Namespace namespace() {
        return engine.namespace();
    }

    private Namespace writable(String path) throws IOException {
        if (settings.isReadOnly()) {
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
        if (lifetime.isEnded()) {
            return MountState.UNMOUNTED;
        }
        return unusable != null ? MountState.FAILED : engine.sessions().state();
    }

    @Override
    public Optional<IOException> failure() {
        return unusable != null
                ? Optional.of(unusable)
                : engine.sessions().failure().map(Errors::shown);
    }

    @Override
    public Map<String, String> settings() {
        return settings == null ? Map.of() : new SettingsReport(settings, engine).all();
    }

    @Override
    public MountStatistics statistics() {
        return engine == null ? MountStatistics.none(made, Instant.now()) : new StatisticsReport(engine).now();
    }

    @Override
    public Optional<Waiting> waiting() {
        return engine == null
                ? Optional.empty()
                : engine.requester()
                        .waits()
                        .longest(Duration.ofSeconds(engine.root().leaseSeconds()));
    }

    @Override
    public List<Finding> explain(String path) throws IOException {
        Engine present = engine();
        Explanation.Subject subject = await(() -> Explanation.find(present, path));
        return new Explanation(present, subject).findings();
    }

    @Override
    public void connect(Duration timeout) throws IOException {
        Engine present = engine();
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a timeout of " + timeout);
        }
        try {
            present.connect(timeout);
        } catch (IOException e) {
            throw Errors.shown(e);
        }
    }

    @Override
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void reconnect(Duration timeout) throws IOException {
        Engine present = engine();
        lifetime.enter();
        try {
            present.link().reconnect(timeout);
        } catch (IOException e) {
            throw Errors.shown(e);
        } finally {
            lifetime.exit();
        }
    }

    @Override
    public FileAttributes attributes(String path, boolean followLink) throws IOException {
        return await(() -> namespace().attributes(path, followLink));
    }

    @Override
    public CompletableFuture<FileAttributes> attributesAsync(String path) {
        try {
            engine();
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        return lifetime.operation(() -> namespace().attributes(path, true));
    }

    @Override
    public FileAttributes setAttributes(String path, AttributeChanges changes, boolean followLink) throws IOException {
        return await(() -> writable(path).setAttributes(path, changes, followLink));
    }

    @Override
    public List<DirectoryEntry> list(String path) throws IOException {
        return engine().directories().list(path);
    }

    @Override
    public Iterable<DirectoryEntry> entries(String path) throws IOException {
        return engine().directories().entries(path);
    }

    @Override
    public DirectoryListing listing(String path) throws IOException {
        return engine().directories().listing(path);
    }

    @Override
    public RemoteFile open(String path, Set<? extends OpenOption> options, int mode) throws IOException {
        Opener opener = engine().opener();
        CompletableFuture<NfsFile> opening = lifetime.operation(() -> opener.open(path, options, mode));
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
        await(() -> writable(path).createDirectory(path, mode));
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        await(() -> writable(path).createSymbolicLink(path, target));
    }

    @Override
    public void createLink(String path, String existing) throws IOException {
        await(() -> writable(path).createLink(path, existing));
    }

    @Override
    public String readLink(String path) throws IOException {
        return await(() -> namespace().readLink(path));
    }

    @Override
    public void remove(String path) throws IOException {
        await(() -> writable(path).remove(path));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        await(() -> writable(from).rename(from, to));
    }

    @Override
    public boolean mayAccess(String path, boolean read, boolean write, boolean execute) throws IOException {
        return await(() -> namespace().mayAccess(path, read, write, execute));
    }

    @Override
    public FileSystemStatus fileSystemStatus(String path) throws IOException {
        return await(() -> namespace().fileSystemStatus(path));
    }

    /** Unmounts: open files are closed, session and client given up, threads ended, all within a bound. */
    @Override
    public void close() {
        end(Lifetime.End.UNMOUNTED);
    }

    /** As {@link #close}, for that reason. */
    final void end(Lifetime.End why) {
        end(why, CLOSE_BOUND);
    }

    final void end(Lifetime.End why, Duration bound) {
        if (lifetime.end(why)) {
            try {
                if (engine != null) {
                    engine.close(bound);
                    owner.close();
                }
                onClosed.run();
            } finally {
                ended.countDown();
            }
        }
    }
}
