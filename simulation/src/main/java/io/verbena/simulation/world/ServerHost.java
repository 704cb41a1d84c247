package io.verbena.simulation.world;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ServerMemory;
import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.nfs41.server.internal.util.CacheShares;
import io.verbena.nfs41.server.internal.util.HeapShare;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.Runtime;
import io.verbena.simulation.disk.SimulatedDisk;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.network.SimulatedProvider;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The host of the server. Its disk outlives the server's processes. */
public final class ServerHost {
    static final int PORT = 20049;
    /** Counters of what clients make the server hold. */
    private static final Set<String> STATE = Set.of("clients", "sessions", "openStates", "openFiles", "stateOctets");

    private final Scheduler scheduler;
    private final SimulatedNetwork network;
    private final InetAddress address;
    private final Path directory;
    private final Path state;
    private final SimulatedDisk disk;
    private final WorldOptions options;
    private int starts;
    private int powerLosses;
    private long lastStart;
    private SimulatedProcess process;
    private DirectMemory memory;
    private TransportServices services;
    private NfsServer server;
    private RpcListener listener;
    private boolean isServing;

    /**
     * @param directory an empty directory of the real host, in whose place the disk is exported
     * @param state where the server keeps its state over restarts, on the real host
     */
    ServerHost(
            Scheduler scheduler,
            SimulatedNetwork network,
            InetAddress address,
            Path directory,
            Path state,
            SimulatedDisk disk,
            WorldOptions options) {
        this.scheduler = scheduler;
        this.network = network;
        this.address = address;
        this.directory = directory;
        this.state = state;
        this.disk = disk;
        this.options = options;
    }

    InetAddress address() {
        return address;
    }

    SimulatedProcess process() {
        return process;
    }

    /** How often the server was started. */
    int starts() {
        return starts;
    }

    /** When the server was started last. */
    long lastStart() {
        return lastStart;
    }

    /** Starts a process that serves the disk. Returns at once. */
    void start() {
        lastStart = scheduler.now();
        isServing = false;
        SimulatedProcess started = scheduler.process("server-" + ++starts);
        process = started;
        scheduler.start(started, "main", () -> serve(started));
    }

    private void serve(SimulatedProcess started) {
        Runtime runtime = started.runtime();
        try {
            memory = new DirectMemory(options.serverMemory(), runtime);
            services = new TransportServices(
                    runtime,
                    memory,
                    () -> new SimulatedProvider(
                            network,
                            started,
                            address,
                            options.remoteInvalidation(),
                            options.directMemory(),
                            message -> services.canRead(message),
                            Renewals::isPossible));
            server = new NfsServer(settings(), state, heap(), path -> disk.root(), UnaryOperator.identity(), runtime);
            listener = services.transport().listen(listenOptions(), server);
            isServing = true;
            scheduler.happened("the server listens");
        } catch (java.io.IOException e) {
            scheduler.happened("the server does not start: " + e);
            scheduler.after(Duration.ofSeconds(1).toNanos(), this::startAgain);
            kill(false);
        }
    }

    /** The heap of the host that the simulation runs on decides nothing. */
    private ServerMemory heap() {
        long octets = options.serverHeap();
        return new ServerMemory(
                new StateBudget(octets / 4), new CacheShares(new HeapShare(octets / 16), new HeapShare(octets / 8)));
    }

    private void startAgain() {
        if (process.isDead()) {
            start();
        }
    }

    private ListenOptions listenOptions() {
        ListenOptions usual = ListenOptions.on(new InetSocketAddress(address, PORT));
        return new ListenOptions(
                usual.local(), options.credits(), usual.maxConnections(), usual.maxCallSize(), usual.transport());
    }

    private ExportSettings settings() {
        return new ExportSettings(
                "world",
                directory,
                false,
                new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY),
                64,
                options.delegations(),
                options.lease(),
                options.lease(),
                true,
                false,
                io.verbena.nfs41.server.internal.access.AccessRules.ALL);
    }

    /**
     * Ends the process at once.
     *
     * @param silent whether the host is gone too, so that no peer is told
     */
    void kill(boolean silent) {
        process.kill();
        network.processDied(process, silent);
        disk.endProcess();
    }

    /** How often the host has lost its power. */
    int powerLosses() {
        return powerLosses;
    }

    /** The host loses its power. */
    void losePower(SplittableRandom random) {
        powerLosses++;
        process.kill();
        network.processDied(process, true);
        disk.powerLoss(random);
    }

    /** Whether the process listens, and is not being stopped. */
    boolean isServing() {
        return isServing && !process.isDead();
    }

    /** The process is about to be stopped. */
    void stopping() {
        isServing = false;
    }

    /**
     * Ends the process in order, while clients use it, and starts another one after some time, as an update of its
     * bundles does. A strand of the process calls this.
     */
    void stop(long downNanos) throws InterruptedException {
        close();
        if (memory.leasedBytes() > 0) {
            scheduler.fail("the server has stopped, and has not given back " + holdings());
        }
        kill(false);
        scheduler.after(downNanos, this::startAgain);
    }

    /** Ends the process in order. */
    void close() throws InterruptedException {
        listener.close();
        server.close();
        services.close();
        memory.close();
    }

    /** Null before the first process has begun to serve. */
    TransportServices services() {
        return services;
    }

    /** Null before the first process has begun to serve. */
    DirectMemory memory() {
        return memory;
    }

    long leasedBytes() {
        return memory.leasedBytes();
    }

    String holdings() {
        return memory.holdings().toString();
    }

    /** What the server holds of clients: counters that are not zero. */
    Map<String, Long> state() {
        Map<String, Long> held = new TreeMap<>(server.counters());
        held.keySet().retainAll(STATE);
        held.values().removeIf(count -> count == 0);
        return held;
    }
}
