package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.Compound;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.server.internal.ops.CompoundProcessor;
import io.verbena.nfs41.server.internal.ops.ExclusiveCreates;
import io.verbena.nfs41.server.internal.ops.Operations;
import io.verbena.nfs41.server.internal.ops.ServerSettings;
import io.verbena.nfs41.server.internal.state.ClientTable;
import io.verbena.nfs41.server.internal.state.DelegationRules;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.state.Recovery;
import io.verbena.nfs41.server.internal.state.ServerLimits;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.vfs.AttributeChanger;
import io.verbena.nfs41.server.internal.vfs.Durability;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.Listings;
import io.verbena.nfs41.server.internal.vfs.OpenFiles;
import io.verbena.nfs41.server.internal.vfs.SipHash;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.nfs41.server.internal.vfs.TreeStorage;
import io.verbena.nfs41.server.internal.vfs.WriteVerifier;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An NFSv4.1 server of one directory: the RPC program to offer with a transport. Thread safe. */
public final class NfsServer implements RpcProgram, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NfsServer.class);
    private static final int WORKERS = 4;
    private static final int MAX_OPEN_FILES = 1024;
    private static final int CLOSE_SECONDS = 10;

    /** How long a client that is too busy for a callback is left alone. */
    private static final int PAUSE_SECONDS = 1;

    private final CompoundProcessor processor;
    private final ClientTable clients;
    private final Recovery recovery;
    private final StateTable states;
    private final Delegations delegations;
    private final ExportTree tree;
    private final OpenFiles files;
    private final Listings listings;
    private final ExclusiveCreates exclusives;
    private final ThreadPoolExecutor workers;
    private final ScheduledExecutorService scheduler;
    private final ScheduledFuture<?> tidying;

    /**
     * Starts to serve.
     *
     * @param state where the export keeps its secret and the names of its clients
     * @throws IOException where the directory cannot be exported, or the state not be kept
     */
    public NfsServer(ServerSettings settings, Path state) throws IOException {
        this(settings, state, System::nanoTime);
    }

    /**
     * As above, leases and the grace period by another clock.
     *
     * @param nanoClock as {@link System#nanoTime}
     */
    public NfsServer(ServerSettings settings, Path state, LongSupplier nanoClock) throws IOException {
        this(settings, state, nanoClock, UnaryOperator.identity());
    }

    /**
     * As above, on stable storage of another kind.
     *
     * @param disk makes it of the file system's
     */
    NfsServer(ServerSettings settings, Path state, LongSupplier nanoClock, UnaryOperator<Durability.Storage> disk)
            throws IOException {
        ExportState kept = ExportState.open(state);
        int boot = kept.nextBoot();
        byte[] secret = kept.secret();
        tree = new ExportTree(settings.directory(), new SipHash(secret, 0), 2 + boot % 126);
        AttributeChanger attributeChanger = new AttributeChanger(kept.isRootProcess());
        listings = new Listings(tree, new SipHash(secret, SipHash.KEY_BYTES));
        states = new StateTable(boot);
        workers = workers(settings.name());
        WriteVerifier verifier = new WriteVerifier(new SecureRandom().nextLong());
        files = new OpenFiles(tree, MAX_OPEN_FILES, verifier, states::isOpen, workers);
        scheduler = scheduler(settings.name());
        delegations = new Delegations(
                states,
                new DelegationRules(settings.delegations(), nanoClock.getAsLong()),
                inode -> FileHandle.of(tree.handle(inode)),
                this::callBack,
                settings.lease(),
                nanoClock);
        TreeChanges changes = new TreeChanges(tree, attributeChanger, settings.readOnly(), this::removed);
        recovery = new Recovery(kept.clients(), settings.grace(), nanoClock);
        exclusives = new ExclusiveCreates(kept.exclusiveCreates());
        ServerLimits limits = ServerLimits.withSlots(settings.slots());
        clients = new ClientTable(boot, limits, states, recovery, settings.lease(), nanoClock, this::callBackLater);
        Durability durability =
                new Durability(disk.apply(new TreeStorage(tree, files, verifier)), settings.sync(), verifier, workers);
        Operations operations = new Operations(
                settings.name(),
                tree,
                changes,
                files,
                listings,
                exclusives,
                verifier,
                durability,
                new SipHash(secret, 0).hash("server"));
        processor = new CompoundProcessor(
                operations.table(clients, states, delegations, recovery, settings), settings.squash(), workers);
        long tick = Math.max(1, settings.lease().toSeconds() / 4);
        tidying = scheduler.scheduleWithFixedDelay(this::tidy, tick, tick, TimeUnit.SECONDS);
    }

    /** For what waits for a disk. */
    private static ThreadPoolExecutor workers(String name) {
        ThreadPoolExecutor workers = new ThreadPoolExecutor(
                WORKERS, WORKERS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads(name));
        workers.allowCoreThreadTimeOut(true);
        return workers;
    }

    /** One thread, which ends with {@code shutdown()} whatever was to be done later. */
    private static ScheduledExecutorService scheduler(String name) {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, threads(name));
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return scheduler;
    }

    /** Not on the thread whose request has given rise to it: it may hold locks. */
    private void callBack(Runnable callback) {
        schedule(callback, 0);
    }

    private void callBackLater(Runnable callback) {
        schedule(callback, PAUSE_SECONDS);
    }

    private void schedule(Runnable callback, int seconds) {
        try {
            ScheduledFuture<?> unused = scheduler.schedule(callback, seconds, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("The export is being closed: nobody is called back any more");
        }
    }

    private void removed(Inode inode) {
        files.removed(inode);
        delegations.forget(inode);
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "verbena-export-" + name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
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
            case Compound.PROC_COMPOUND -> {
                if (request.credential() instanceof Credential.Unknown) {
                    request.reject(AuthStatus.AUTH_REJECTEDCRED);
                } else {
                    processor.process(request);
                }
            }
            default -> request.fail(AcceptStatus.PROC_UNAVAIL);
        }
    }

    @Override
    public void disconnected(RpcPeer peer) {
        clients.disconnected(peer);
    }

    private void tidy() {
        try {
            expireLeases();
            listings.dropOld();
        } catch (RuntimeException e) {
            LOG.error("Expiring leases failed; it is tried again", e);
        }
    }

    /** Ends clients whose leases have run out, and delegations kept for too long; called by the scheduler. Blocks. */
    public void expireLeases() {
        recovery.tidy(); // so that no client's request has to wait for the record
        delegations.expire();
        int expired = clients.expire();
        if (expired > 0) {
            LOG.info("{} clients have not renewed their leases and were forgotten", expired);
        }
        files.closeIdle();
    }

    /** What there is and was, by name. */
    public Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("clients", (long) clients.clientCount());
        counters.put("sessions", (long) clients.sessionCount());
        counters.put("openStates", (long) states.count());
        counters.put("delegationsGranted", delegations.granted());
        counters.put("recalls", delegations.recalls());
        counters.put("revocations", delegations.revocations());
        counters.put("openFiles", (long) files.count());
        counters.put("compounds", processor.compounds());
        counters.put("operations", processor.operations());
        counters.put("failures", processor.failures());
        return counters;
    }

    /** Ends what is under way and closes all files; the transport's listener is closed before. */
    @Override
    public void close() {
        tidying.cancel(false);
        scheduler.shutdown();
        workers.shutdown();
        try {
            // never interrupted: that would close the file's channel under others
            if (!workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("A disk has not answered within {} s; its operation goes on alone", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        recovery.tidy();
        files.close();
        tree.close();
        try {
            exclusives.close();
        } catch (IOException e) {
            LOG.warn("Closing the record of exclusive creates failed", e);
        }
    }
}
