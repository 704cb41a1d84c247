package io.verbena.nfs41.client.internal.mount;

import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.DelayedOperation;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileRead;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.FileType;
import io.verbena.nfs.MountExplanation;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.MountState;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.figures.MountSwapListener;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.file.Opener;
import io.verbena.nfs41.client.internal.identity.ClientOwner;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.MountHandover.Predecessor;
import io.verbena.nfs41.client.internal.names.Namespace;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.Uninterruptible;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mount: see {@link io.verbena.nfs.Mount}. Needs no OSGi; {@link MountComponent} is what OSGi makes of it.
 */
public class NfsMount implements ClosableMount {
    private static final Logger LOG = LoggerFactory.getLogger(NfsMount.class);
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);
    /** How long requests under way may take on a transport that will be stopped. */
    private static final Duration LEAVE_BOUND = Duration.ofSeconds(2);

    private final Instant made;
    private final String name;
    private final String source;
    private final MountSettings settings;
    private final IOException unusable;
    private final TransportSource transports;
    private final SecuritySource securities;
    private final MountAssembly assembly;
    private final MountLifetime lifetime;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** The thread that ends this mount; null before. */
    private volatile Thread closer;

    private final ClientOwner owner;
    private final Runnable onClosed;
    private final Runtime runtime;

    /**
     * Begins to connect in the background. Invalid options make a mount that has failed permanently.
     *
     * @param transport null where there is none yet
     * @param memory the budget that buffers are leased from
     * @param runtime time, threads and random numbers
     */
    public NfsMount(
            String name,
            String server,
            String export,
            String options,
            RpcTransport transport,
            MemoryBudget memory,
            Runtime runtime) {
        this(
                name,
                server,
                export,
                options,
                transport,
                MountUser.OF_OPTIONS,
                memory,
                runtime,
                Optional.empty(),
                () -> {});
    }

    /**
     * As above.
     *
     * @param predecessor the mount whose place this one takes
     * @param onClosed called when the mount has ended completely
     */
    NfsMount(
            String name,
            String server,
            String export,
            String options,
            RpcTransport transport,
            MountUser user,
            MemoryBudget memory,
            Runtime runtime,
            Optional<Predecessor> predecessor,
            Runnable onClosed) {
        this.runtime = runtime;
        this.made = runtime.now();
        this.name = name;
        this.onClosed = onClosed;
        this.source = server + ":" + export;
        this.transports = new TransportSource(transport, runtime);
        this.securities = new SecuritySource(user.security(), runtime);
        this.lifetime = new MountLifetime(name, runtime);
        MountSettings parsed = null;
        IOException bad = null;
        try {
            MountOptions given = MountOptions.parse(options == null ? "" : options);
            given.note().ifPresent(note -> LOG.info("mount {}: {}", name, note));
            parsed = MountSettings.of(name, server, export, given);
        } catch (IllegalArgumentException e) {
            bad = new IOException(e.getMessage(), e);
            LOG.warn("mount {}: {}", name, e.getMessage());
        }
        this.settings = parsed;
        this.unusable = bad;
        this.owner = parsed == null
                ? null
                : ClientOwner.take(name, parsed.credential(), predecessor.map(Predecessor::owner), runtime);
        this.assembly = parsed == null
                ? null
                : new MountAssembly(
                        parsed, transports, securities, user.subject(), memory, lifetime, owner.id(), runtime);
        if (assembly != null) {
            predecessor.ifPresent(assembly::takeOver);
            assembly.start();
        }
    }

    /**
     * A mount without OSGi.
     *
     * @param options as {@code mount -o} takes them
     * @param memory the budget that buffers are leased from
     * @param runtime time, threads and random numbers
     * @throws IllegalArgumentException for options that make no sense
     */
    public static NfsMount create(
            String name,
            String server,
            String export,
            String options,
            RpcTransport transport,
            MemoryBudget memory,
            Runtime runtime) {
        return create(name, server, export, options, transport, MountUser.OF_OPTIONS, memory, runtime, () -> {});
    }

    /**
     * As above.
     *
     * @param user who makes the calls
     * @param onClosed called when the mount has ended completely
     */
    public static NfsMount create(
            String name,
            String server,
            String export,
            String options,
            RpcTransport transport,
            MountUser user,
            MemoryBudget memory,
            Runtime runtime,
            Runnable onClosed) {
        NfsMount mount = new NfsMount(
                name, server, export, options, transport, user, memory, runtime, Optional.empty(), onClosed);
        return usable(mount);
    }

    /**
     * As {@link #create(String, String, String, String, RpcTransport, MemoryBudget, Runtime)}, by an owner that the
     * caller keeps, and that no other mount uses at the same time. The mount takes the place of an earlier one with
     * that owner, whose process has ended.
     *
     * @param known what the earlier one had found out about the server; see {@link #known}
     */
    public static NfsMount createAs(
            Opaque owner,
            Map<String, String> known,
            String name,
            String server,
            String export,
            String options,
            RpcTransport transport,
            MemoryBudget memory,
            Runtime runtime) {
        Predecessor before = new Predecessor(owner, runtime.now().toEpochMilli(), SwapRecorder.Past.NONE, known);
        NfsMount mount = new NfsMount(
                name,
                server,
                export,
                options,
                transport,
                MountUser.OF_OPTIONS,
                memory,
                runtime,
                Optional.of(before),
                () -> {});
        return usable(mount);
    }

    private static NfsMount usable(NfsMount mount) {
        if (mount.unusable != null) {
            throw new IllegalArgumentException(mount.unusable.getMessage(), mount.unusable);
        }
        return mount;
    }

    /** A transport has come. */
    public final void transportCame(RpcTransport transport) {
        transports.set(transport);
        if (assembly != null && !lifetime.isEnded()) {
            assembly.transportCame();
        }
    }

    /**
     * A transport will be stopped, and still works: the mount leaves its connection, and awaits the requests under way
     * for a while. Blocks.
     */
    public final void transportGone(RpcTransport transport) {
        transportGone(transport, LEAVE_BOUND);
    }

    public final void transportGone(RpcTransport transport, Duration bound) {
        transports.unset(transport);
        if (assembly != null) {
            assembly.transportGone(transport, bound);
        }
    }

    /** A service for security contexts has come. */
    public final void securityCame(RpcSecurity security) {
        securities.set(security);
    }

    /** A service for security contexts will be stopped. */
    public final void securityGone(RpcSecurity security) {
        securities.unset(security);
        if (assembly != null) {
            assembly.securityGone(security);
        }
    }

    /** Adds a listener for swaps. */
    final void listen(MountSwapListener listener) {
        if (assembly != null) {
            assembly.swaps().listener(listener);
        }
    }

    /** Removes a listener for swaps. */
    final void listenNoMore(MountSwapListener listener) {
        if (assembly != null) {
            assembly.swaps().noListener(listener);
        }
    }

    /** Whether the mount was mounted, so that a successor can take its place. */
    final boolean wasMounted() {
        return assembly != null && assembly.sessions().wasMounted();
    }

    /** What the mount that takes the place of this one takes over. */
    final Predecessor predecessor() {
        return new Predecessor(owner(), runtime.now().toEpochMilli(), assembly.past(), known());
    }

    /** What the transport has found out about the server, as options for the next connection. */
    public final Map<String, String> known() {
        return assembly == null ? Map.of() : assembly.link().known();
    }

    /** The client owner that the server knows it by. */
    public final Opaque owner() {
        return owner.id();
    }

    public final MountAssembly assembly() throws IOException {
        if (unusable != null) {
            throw unusable;
        }
        lifetime.requireGoing();
        return assembly;
    }

    /** Runs one operation, which the end of the mount awaits. Blocks. */
    private <T> T await(MountLifetime.Step<T> step) throws IOException {
        assembly();
        return Blocking.await(runtime, lifetime.operation(step));
    }

    private Namespace namespace() {
        return assembly.namespace();
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
    public MemoryShare memory() throws IOException {
        return assembly().memory().share();
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
        return unusable != null ? MountState.FAILED : assembly.sessions().state();
    }

    @Override
    public Optional<IOException> failure() {
        return unusable != null
                ? Optional.of(unusable)
                : assembly.sessions().failure().map(Errors::asApiType);
    }

    @Override
    public Map<String, String> settings() {
        return settings == null ? Map.of() : new SettingsReport(settings, assembly).all();
    }

    @Override
    public MountStatistics statistics() {
        return assembly == null ? MountStatistics.none(made, runtime.now()) : new StatisticsReport(assembly).now();
    }

    @Override
    public int slotsGranted() {
        return assembly == null ? 0 : new StatisticsReport(assembly).slotsGranted();
    }

    @Override
    public Optional<DelayedOperation> delayedOperation() {
        return assembly == null
                ? Optional.empty()
                : assembly.caller()
                        .waits()
                        .longest(Duration.ofSeconds(assembly.root().leaseSeconds()));
    }

    @Override
    public Optional<UnresponsiveServer> unresponsiveServer() {
        // before the first mount, failure() tells the reason
        return assembly == null || lifetime.isEnded() || !wasMounted()
                ? Optional.empty()
                : assembly.caller().silence().shown();
    }

    @Override
    public List<MountExplanation> explain(String path) throws IOException {
        MountAssembly present = assembly();
        TransferExplanation.Subject subject = await(() -> TransferExplanation.find(present, path));
        return new TransferExplanation(present, subject).findings();
    }

    @Override
    public void connect(Duration timeout) throws IOException {
        MountAssembly present = assembly();
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a timeout of " + timeout);
        }
        try {
            present.connect(timeout);
        } catch (IOException e) {
            throw Errors.asApiType(e);
        }
    }

    @Override
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        try {
            runtime.await(ended, timeout.toNanos());
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the end of a mount does not fail", e);
        }
    }

    @Override
    public void reconnect(Duration timeout) throws IOException {
        MountAssembly present = assembly();
        lifetime.enter();
        try {
            present.link().reconnect(timeout);
        } catch (IOException e) {
            throw Errors.asApiType(e);
        } finally {
            lifetime.exit();
        }
    }

    @Override
    public FileAttributes attributes(String path, boolean followLink) throws IOException {
        return await(() -> namespace().attributes(path, followLink));
    }

    @Override
    public FileAttributes attributes(String path, FileKey directory) throws IOException {
        return await(() -> namespace().attributes(path, directory));
    }

    @Override
    public CompletableFuture<FileAttributes> attributesAsync(String path) {
        return begin(() -> namespace().attributes(path, true));
    }

    @Override
    public FileAttributes setAttributes(String path, AttributeChanges changes, boolean followLink) throws IOException {
        return await(() -> writable(path).setAttributes(path, changes, followLink));
    }

    @Override
    public FileAttributes setAttributes(String path, FileKey seen, AttributeChanges changes) throws IOException {
        return await(() -> writable(path).setAttributes(path, seen, changes));
    }

    /** Runs one operation without blocking. */
    private <T> CompletableFuture<T> begin(MountLifetime.Step<T> step) {
        try {
            assembly();
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        return lifetime.operation(step);
    }

    @Override
    public CompletableFuture<FileRead> readFileAsync(String path, ByteBuffer destination) {
        return begin(() -> assembly.wholeFiles().read(path, destination));
    }

    @Override
    public CompletableFuture<FileRead> readFileAsync(String path, FileKey directory, ByteBuffer destination) {
        return begin(() -> assembly.wholeFiles().read(path, directory, destination));
    }

    @Override
    public CompletableFuture<FileAttributes> createFileAsync(
            String path, FileKey directory, ByteBuffer content, AttributeChanges attributes) {
        return begin(() -> assembly.wholeFiles().create(path, directory, content, attributes));
    }

    @Override
    public List<DirectoryEntry> list(String path) throws IOException {
        return assembly().directories().list(path);
    }

    @Override
    public Iterable<DirectoryEntry> entries(String path) throws IOException {
        return assembly().directories().entries(path);
    }

    @Override
    public Iterable<DirectoryEntry> names(String path) throws IOException {
        return assembly().directories().names(path);
    }

    @Override
    public DirectoryListing listing(String path) throws IOException {
        return assembly().directories().listing(path);
    }

    @Override
    public DirectoryListing listing(String path, FileKey seen) throws IOException {
        return assembly().directories().listing(path, seen);
    }

    @Override
    public RemoteFile open(String path, Set<? extends OpenOption> options, int mode) throws IOException {
        Opener opener = assembly().opener();
        return opened(lifetime.operation(() -> opener.open(path, options, mode)));
    }

    @Override
    public RemoteFile open(String path, FileKey directory, Set<? extends OpenOption> options, int mode)
            throws IOException {
        Opener opener = assembly().opener();
        return opened(lifetime.operation(() -> opener.open(path, directory, options, mode)));
    }

    private RemoteFile opened(CompletableFuture<NfsFile> opening) throws IOException {
        boolean taken = false;
        try {
            RemoteFile file = Blocking.await(runtime, opening);
            taken = true;
            return file;
        } finally {
            if (!taken) {
                // the OPEN may be under way: no caller would close its file
                Futures.whenDoneLogged(opening, (file, thrown) -> {
                    if (file != null) {
                        CompletableFuture<Void> unused = file.closeAsync();
                    }
                });
            }
        }
    }

    @Override
    public void createDirectory(String path, FileKey directory, int mode) throws IOException {
        await(() -> writable(path).createDirectory(path, directory, mode));
    }

    @Override
    public void createSymbolicLink(String path, FileKey directory, String target) throws IOException {
        await(() -> writable(path).createSymbolicLink(path, directory, target));
    }

    @Override
    public void createSpecial(String path, FileKey directory, FileType type, int mode, int major, int minor)
            throws IOException {
        await(() -> writable(path).createSpecial(path, directory, type, mode, major, minor));
    }

    @Override
    public void createLink(String path, FileKey directory, String existing, FileKey existingDirectory)
            throws IOException {
        await(() -> writable(path).createLink(path, directory, existing, existingDirectory));
    }

    @Override
    public String readLink(String path) throws IOException {
        return await(() -> namespace().readLink(path));
    }

    @Override
    public void remove(String path, FileKey directory) throws IOException {
        await(() -> writable(path).remove(path, directory));
    }

    @Override
    public CompletableFuture<Void> removeAsync(String path, FileKey directory) {
        return begin(() -> writable(path).remove(path, directory));
    }

    @Override
    public void rename(String from, FileKey directory, String to, FileKey newDirectory) throws IOException {
        await(() -> writable(from).rename(from, directory, to, newDirectory));
    }

    @Override
    public boolean mayAccess(String path, boolean read, boolean write, boolean execute) throws IOException {
        return await(() -> namespace().mayAccess(path, read, write, execute));
    }

    @Override
    public FileSystemStatus fileSystemStatus(String path) throws IOException {
        return await(() -> namespace().fileSystemStatus(path));
    }

    /**
     * Unmounts: open files are closed, session and client given up, threads ended, all within a bound. Where another
     * thread does so already, waits for that one. An interrupt does not shorten that.
     *
     * @throws IllegalStateException on a thread that completes futures of this client, before anything is done
     */
    @Override
    public void close() {
        end(MountLifetime.End.UNMOUNTED);
    }

    /** As {@link #close}, for that reason. */
    public final void end(MountLifetime.End why) {
        end(why, CLOSE_BOUND);
    }

    public final void end(MountLifetime.End why, Duration bound) {
        if (!lifetime.isEnded()) {
            Blocking.requireMayWait(); // a mount whose end stops halfway would be left so
        }
        if (!lifetime.end(why)) {
            awaitCloser(bound);
            return;
        }
        closer = Thread.currentThread();
        try {
            if (assembly != null) {
                assembly.close(bound);
                owner.close();
            }
            onClosed.run();
        } finally {
            ended.complete(null);
        }
    }

    /** Waits for the thread that ends the mount, unless that thread is this one, or may wait for this one. */
    private void awaitCloser(Duration bound) {
        if (Thread.currentThread() != closer
                && !Blocking.isCompleting()
                && !Uninterruptible.awaitEnd(runtime, bound.toNanos(), ended)) {
            LOG.warn("mount {} was not ended within {} s by {}", name, bound.toSeconds(), closer);
        }
    }
}
