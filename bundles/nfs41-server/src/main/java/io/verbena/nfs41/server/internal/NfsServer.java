package io.verbena.nfs41.server.internal;

import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.server.internal.access.AccessRules;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.file.Durability;
import io.verbena.nfs41.server.internal.file.OpenFiles;
import io.verbena.nfs41.server.internal.file.TreeStorage;
import io.verbena.nfs41.server.internal.file.WriteVerifier;
import io.verbena.nfs41.server.internal.ops.CompoundProcessor;
import io.verbena.nfs41.server.internal.ops.ExclusiveCreates;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Operations;
import io.verbena.nfs41.server.internal.security.LocalUser;
import io.verbena.nfs41.server.internal.security.PrincipalUsers;
import io.verbena.nfs41.server.internal.session.ClientTable;
import io.verbena.nfs41.server.internal.session.GracePeriod;
import io.verbena.nfs41.server.internal.session.ServerLimits;
import io.verbena.nfs41.server.internal.state.DelegationRules;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.util.CacheShares;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.nfs41.server.internal.vfs.DirectoryListings;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import io.verbena.xdr.XdrException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An NFSv4.1 server of one directory: an RPC program for a transport's listener. Thread safe. */
public final class NfsServer implements RpcProgram, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NfsServer.class);

    /** Most of these threads wait for the disk, where the fsyncs of several files share a write of the journal. */
    private static final int WORKERS = 16;

    private static final int MAX_OPEN_FILES = 1024;
    private static final Duration WORKER_IDLE = Duration.ofSeconds(30);
    private static final int CLOSE_SECONDS = 10;

    /** How long the server waits until it calls back a busy client again. */
    private static final int PAUSE_SECONDS = 1;
    /** How often syncfs(2) is called at the start until it succeeds. */
    private static final int SYNCS = 3;

    private final Runtime runtime;
    private final CompoundProcessor processor;
    private final AccessRules access;
    private final PrincipalUsers principals; // null without Kerberos
    private final boolean isRootProcess;
    private final ClientTable clients;
    private final GracePeriod gracePeriod;
    private final StateTable states;
    private final Delegations delegations;
    private final ExportTree tree;
    private final OpenFiles files;
    private final DirectoryListings listings;
    private final ExclusiveCreates exclusives;
    private final ExecutorService workers; // these threads may wait for a disk
    private final ScheduledExecutorService scheduler;
    private final ScheduledFuture<?> tidying;
    private final StateBudget budget;
    private final CacheShares caches;
    private final Runnable wanted = this::tidySoon;
    private final AtomicBoolean tidiesSoon = new AtomicBoolean();

    /**
     * Starts the server.
     *
     * @param state the folder for the export's secret and the names of its clients
     * @throws IOException if the directory cannot be exported, or the state cannot be kept
     */
    public NfsServer(ExportSettings settings, Path state, Runtime runtime) throws IOException {
        this(settings, state, ServerMemory.ofHeap(), runtime);
    }

    /**
     * As {@link #NfsServer(ExportSettings, Path, Runtime)}, with memory that other servers may share.
     *
     * @param memory the part of the heap that the server may take
     */
    public NfsServer(ExportSettings settings, Path state, ServerMemory memory, Runtime runtime) throws IOException {
        this(settings, state, memory, UnaryOperator.identity(), runtime);
    }

    /**
     * As {@link #NfsServer(ExportSettings, Path, ServerMemory, Runtime)}, with another stable storage.
     *
     * @param disk makes the storage from that of the file system
     */
    NfsServer(
            ExportSettings settings,
            Path state,
            ServerMemory memory,
            UnaryOperator<Durability.Storage> disk,
            Runtime runtime)
            throws IOException {
        this(settings, state, memory, Directories::open, disk, runtime);
    }

    /**
     * As {@link #NfsServer(ExportSettings, Path, ServerMemory, Runtime)}, with another file system.
     *
     * @param opener opens the exported directory
     * @param disk makes the storage from that of the file system
     */
    public NfsServer(
            ExportSettings settings,
            Path state,
            ServerMemory memory,
            ExportTree.Opener opener,
            UnaryOperator<Durability.Storage> disk,
            Runtime runtime)
            throws IOException {
        this.runtime = runtime;
        budget = memory.states();
        caches = memory.caches();
        ExportState kept = ExportState.open(state, runtime);
        int boot = kept.nextBoot();
        byte[] secret = kept.secret();
        AttributeChanger attributeChanger = new AttributeChanger(kept.isRootProcess(), settings.setId());
        access = settings.access();
        isRootProcess = kept.isRootProcess();
        SipHash handles = new SipHash(secret, 0);
        tree = new ExportTree(settings.directory(), opener, handles, 2 + boot % 126, caches.objects(), runtime);
        exclusives = orClose(tree, () -> new ExclusiveCreates(kept.exclusiveCreates()));
        if (settings.sync() && Files.exists(kept.clients())) {
            orClose(tree, () -> {
                settle(settings);
                return tree;
            });
        }
        gracePeriod = orClose(tree, () -> new GracePeriod(kept.clients(), settings.grace(), runtime));
        listings = new DirectoryListings(tree, new SipHash(secret, SipHash.KEY_BYTES), caches.listings(), runtime);
        states = new StateTable(boot, memory.maxStates());
        String threads = "verbena-export-" + settings.name();
        workers = runtime.newExecutor(threads, WORKERS, WORKER_IDLE);
        WriteVerifier verifier = new WriteVerifier(runtime.random().nextLong());
        files = new OpenFiles(tree, MAX_OPEN_FILES, verifier, states::isOpen, workers, runtime);
        scheduler = runtime.newScheduler(threads, 1);
        delegations = new Delegations(
                states,
                new DelegationRules(settings.delegations(), runtime.nanoTime()),
                inode -> FileHandle.of(tree.handle(inode)),
                this::callBack,
                settings.lease(),
                runtime);
        TreeChanges changes = new TreeChanges(tree, attributeChanger, settings.readOnly(), this::removed, runtime);
        ServerLimits limits = ServerLimits.withSlots(settings.slots());
        clients = new ClientTable(limits, budget, states, gracePeriod, settings.lease(), this::callBackLater, runtime);
        Durability.Storage storage = disk.apply(new TreeStorage(tree, files, verifier));
        Durability durability = new Durability(storage, settings.sync(), verifier, workers, runtime);
        Operations operations = new Operations(
                settings.name(), tree, changes, files, listings, exclusives, verifier, handles.hash("server"), runtime);
        processor = new CompoundProcessor(
                operations.table(clients, states, delegations, gracePeriod, settings),
                settings.squash(),
                settings.security(),
                workers,
                WORKERS,
                durability,
                runtime);
        principals = settings.security().usesKerberos()
                ? new PrincipalUsers(settings.security().mapping(), threads + "-users", runtime)
                : null;
        long tick = Math.max(1, settings.lease().toSeconds() / 4);
        tidying = scheduler.scheduleWithFixedDelay(this::tidy, tick, tick, TimeUnit.SECONDS);
        budget.addListener(wanted);
        caches.listings().addListener(wanted);
        caches.objects().addListener(wanted);
    }

    private interface Opening<T> {
        T open() throws IOException;
    }

    /** Opens a record. Closes the tree if the record cannot be read: the export tries again periodically. */
    private static <T> T orClose(ExportTree tree, Opening<T> opening) throws IOException {
        try {
            return opening.open();
        } catch (Throwable e) {
            tree.close();
            throw e;
        }
    }

    /**
     * Brings to stable storage what an earlier run has done and not answered, as where it was killed. Its clients look
     * for changes that they have no answer to, and take what they find for done. Blocks.
     *
     * @throws IOException where the host does not take it; the export tries again periodically. A read-only export is
     *     served all the same: it may be there to save what is left on a disk
     */
    private void settle(ExportSettings settings) throws IOException {
        IOException failure = null;
        for (int i = 0; i < SYNCS; i++) {
            try {
                if (!tree.syncFileSystem()) {
                    LOG.debug("export {}: the host has no syncfs(2)", settings.name());
                }
                return;
            } catch (IOException e) { // perhaps of pages that were lost before: the next syncfs(2) tells of the rest
                failure = e;
            }
        }
        String message = "changes of an earlier run cannot be brought to stable storage: syncfs(2) of the export '"
                + settings.name() + "' has failed " + SYNCS + " times; check the disk";
        if (!settings.readOnly()) {
            throw new IOException(message, failure);
        }
        LOG.warn(message, failure);
    }

    /** Executes a callback on the scheduler's thread, and not on the thread of the request, which may hold locks. */
    private void callBack(Runnable callback) {
        schedule(callback, 0);
    }

    private void callBackLater(Runnable callback) {
        schedule(callback, PAUSE_SECONDS);
    }

    /** Schedules {@link #tidy} soon: a cache or a client lacks memory that others hold idly. */
    private void tidySoon() {
        if (!tidiesSoon.getAndSet(true)) {
            try {
                schedule(
                        () -> {
                            tidiesSoon.set(false);
                            tidy();
                        },
                        PAUSE_SECONDS);
            } catch (Throwable e) { // there is no thread
                tidiesSoon.set(false);
                LOG.warn("Idle memory cannot be given back soon; the next periodic run does that", e);
            }
        }
    }

    private void schedule(Runnable callback, int seconds) {
        try {
            ScheduledFuture<?> unused = scheduler.schedule(() -> guarded(callback), seconds, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("The export is being closed: a callback is dropped");
        }
    }

    /** Executes a task and logs its failure: no caller reads the future of the task. */
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            LOG.error("A callback failed", e);
        }
    }

    private void removed(Inode inode) {
        files.removed(inode);
        delegations.forget(inode);
    }

    @Override
    public int program() {
        return Compound.PROGRAM;
    }

    @Override
    public int lowVersion() {
        return Compound.VERSION;
    }

    @Override
    public int highVersion() {
        return Compound.VERSION;
    }

    @Override
    public void handle(RpcRequest request) throws Exception {
        switch (request.procedure()) {
            case Compound.PROC_NULL -> request.reply();
            case Compound.PROC_COMPOUND -> compound(request);
            default -> request.fail(AcceptStatus.PROC_UNAVAIL);
        }
    }

    private void compound(RpcRequest request) throws XdrException {
        Credential credential = request.credential();
        if (credential instanceof Credential.Proved proved && principals != null) {
            Optional<LocalUser> known = principals.known(proved.principal());
            if (known != null) {
                execute(request, known);
            } else {
                principals.lookUp(
                        proved.principal(),
                        user -> answered(request, () -> execute(request, user)),
                        () -> answered(request, () -> processor.delay(request)));
            }
        } else if (credential instanceof Credential.None || credential instanceof Credential.Sys) {
            execute(request, LocalUser.claimed(credential));
        } else {
            request.reject(AuthStatus.AUTH_REJECTEDCRED);
        }
    }

    private void execute(RpcRequest request, Optional<LocalUser> user) throws XdrException {
        OptionalInt uid = user.isPresent() ? OptionalInt.of(user.get().uid()) : OptionalInt.empty();
        if (access.mayCall(uid)) {
            processor.process(request, user);
        } else {
            request.reject(AuthStatus.AUTH_REJECTEDCRED);
        }
    }

    /** The rest of a request that another thread than the transport's goes on with. */
    @FunctionalInterface
    private interface Rest {
        void run() throws XdrException;
    }

    /** Answers in any case, as the transport does on its own thread. */
    private static void answered(RpcRequest request, Rest rest) {
        try {
            rest.run();
        } catch (XdrException e) {
            request.fail(AcceptStatus.GARBAGE_ARGS);
        } catch (Throwable e) {
            LOG.error("A request could not be executed", e);
            request.fail(AcceptStatus.SYSTEM_ERR);
        }
    }

    @Override
    public boolean admits(SocketAddress peer) {
        return access.mayConnect(peer);
    }

    @Override
    public void disconnected(RpcPeer peer) {
        clients.sessions().disconnected(peer);
    }

    /** Whether this process runs as root, so that what it does for root is done as root. */
    boolean isRootProcess() {
        return isRootProcess;
    }

    private void tidy() {
        try {
            listings.dropOld();
            tree.shrink();
            expireLeases();
        } catch (Throwable e) { // an exception would end the periodic task
            LOG.error("Expiring leases failed; the next periodic run tries again", e);
        }
    }

    /**
     * Removes clients whose leases have expired, and delegations that were kept too long. Called by the scheduler.
     * Blocks.
     */
    public void expireLeases() {
        gracePeriod.tidy(); // here, so that no client's request has to wait for the record
        delegations.expire();
        int expired = clients.expire();
        if (expired > 0) {
            LOG.info("{} clients have not renewed their leases and were removed", expired);
        }
        files.closeIdle();
    }

    /** Counters and present figures, by name. */
    public Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("clients", (long) clients.clientCount());
        counters.put("sessions", (long) clients.sessions().count());
        counters.put("openStates", (long) states.count());
        counters.put("delegationsGranted", delegations.granted());
        counters.put("recalls", delegations.recalls());
        counters.put("revocations", delegations.revocations());
        counters.put("openFiles", (long) files.count());
        budget.heldByKind().forEach((kind, octets) -> counters.put(name(kind), octets));
        counters.put("listings.octets", caches.listings().held());
        counters.put("objects.octets", caches.objects().held());
        counters.put("stateOctets", budget.held());
        counters.put("stateLimit", budget.limit());
        counters.put("stateRefusals", budget.refusals());
        counters.put("waiting", (long) processor.waiting());
        counters.put("compounds", processor.compounds());
        counters.put("operations", processor.operations());
        counters.put("failures", processor.failures());
        return counters;
    }

    /**
     * The name of a kind's counter, as {@code replies.octets}. The counters are those of all exports that share the
     * budget.
     */
    private static String name(StateKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".octets";
    }

    /** Ends the operations under way and closes all files. The caller closes the transport's listener before. */
    @Override
    public void close() {
        budget.removeListener(wanted);
        caches.listings().removeListener(wanted);
        caches.objects().removeListener(wanted);
        tidying.cancel(false);
        scheduler.shutdown();
        if (principals != null) {
            principals.close(); // requests that wait for their users go on with the workers
        }
        workers.shutdown();
        long deadline = runtime.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        // workers are never interrupted: an interrupt would close a file's channel that others use
        // requests may also be executed on their own threads, once no worker takes them: wait for these, too
        if (!Closing.awaitEnd(runtime, workers, deadline) || !processor.awaitIdle(deadline)) {
            LOG.warn("A disk has not answered within {} s; closing waits no longer for it", CLOSE_SECONDS);
        }
        gracePeriod.tidy();
        clients.close();
        files.close();
        listings.close();
        tree.close();
        try {
            exclusives.close();
        } catch (IOException e) {
            LOG.warn("Closing the record of exclusive creates failed", e);
        }
    }
}
