package io.verbena.simulation.scale;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ServerMemory;
import io.verbena.nfs41.server.internal.access.AccessRules;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.Runtime;
import io.verbena.simulation.disk.DiskFaults;
import io.verbena.simulation.disk.DiskOperation;
import io.verbena.simulation.disk.SimulatedDisk;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.network.SimulatedProvider;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** The server of a fleet, and its disk, which outlives the server's processes. */
final class ScaleServer {
    private static final int PORT = 20049;
    private static final long MICRO = 1_000;
    /** How long a directory takes to reach stable storage at most: others run meanwhile. */
    private static final long SLOWEST_SYNC = 1_000 * MICRO;
    /** How long a file takes at most: nobody runs meanwhile. */
    private static final long SLOWEST_FORCE = 50 * MICRO;

    private final Scheduler scheduler;
    private final SimulatedNetwork network;
    private final InetAddress address;
    private final Path folder;
    private final ScaleOptions options;
    private final Runnable onRejected;
    private final SplittableRandom random;
    private final SimulatedDisk disk;
    private int starts;
    private SimulatedProcess process;
    private DirectMemory memory;
    private RdmaRpcTransport transport;
    private NfsServer server;
    private RpcListener listener;

    /** @param folder of the real host, for what the server keeps over its restarts; has a folder {@code exported} */
    ScaleServer(
            Scheduler scheduler,
            SimulatedNetwork network,
            InetAddress address,
            Path folder,
            ScaleOptions options,
            Runnable onRejected,
            SplittableRandom random) {
        this.scheduler = scheduler;
        this.network = network;
        this.address = address;
        this.folder = folder;
        this.options = options;
        this.onRejected = onRejected;
        this.random = random;
        Runtime clock = scheduler.process("disk").runtime();
        disk = new SimulatedDisk(clock::now, new DiskFaults(random.split()), this::takeTime);
    }

    private void takeTime(DiskOperation operation, long octets) {
        switch (operation) {
            case SYNC -> sleep(1 + random.nextLong(SLOWEST_SYNC));
            case FORCE, SYNC_ALL -> scheduler.spend(1 + random.nextLong(SLOWEST_FORCE));
            default -> scheduler.spend(random.nextLong(2 * MICRO));
        }
    }

    private void sleep(long nanos) {
        try {
            process.runtime().sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // as fsync(2), which is not interrupted
        }
    }

    String host() {
        return address.getHostAddress();
    }

    /** Starts a process that serves the disk. Returns at once. */
    void start() {
        SimulatedProcess started = scheduler.process("server-" + ++starts);
        process = started;
        scheduler.start(started, "main", () -> serve(started));
    }

    private void serve(SimulatedProcess started) {
        Runtime runtime = started.runtime();
        try {
            memory = new DirectMemory(options.serverMemory(), runtime);
            SimulatedProvider provider = new SimulatedProvider(network, started, address, true, false);
            transport = new RdmaRpcTransport(
                    runtime,
                    memory,
                    List.of(new CountingProvider(provider, () -> {}, onRejected)),
                    List.of(new VersionOneFraming(), new VersionTwoFraming()),
                    new PrivateDataNegotiator(),
                    List.of(new BufferSizes()));
            server = new NfsServer(
                    settings(),
                    folder.resolve("state"),
                    ServerMemory.ofHeap(),
                    path -> disk.root(),
                    UnaryOperator.identity(),
                    runtime);
            listener = transport.listen(listenOptions(), server);
            scheduler.tell("the server listens");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private ListenOptions listenOptions() {
        ListenOptions usual = ListenOptions.on(new InetSocketAddress(address, PORT));
        return new ListenOptions(
                usual.local(), options.credits(), options.maxConnections(), usual.maxCallSize(), usual.transport());
    }

    private ExportSettings settings() {
        return new ExportSettings(
                "fleet",
                folder.resolve("exported"),
                false,
                new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY),
                64,
                true,
                ScaleOptions.LEASE,
                ScaleOptions.LEASE,
                true,
                false,
                AccessRules.ALL);
    }

    /** Ends the process at once, as SIGKILL does. The peers learn of it. */
    void kill() {
        process.kill();
        network.processDied(process, false);
        disk.endProcess();
        server = null;
    }

    /** Breaks all connections to the server at once. */
    void cutAll() {
        network.cutAll(address);
    }

    /** The server's counters; empty where it does not run. */
    Map<String, Long> counters() {
        NfsServer present = server;
        return present == null ? Map.of() : present.counters();
    }

    /** The direct memory that the server has from the JVM, in octets. */
    long allocatedBytes() {
        return memory == null ? 0 : memory.allocatedBytes();
    }

    long leasedBytes() {
        return memory == null ? 0 : memory.leasedBytes();
    }

    /** Ends the process in order. A strand of the process calls this. */
    void close() {
        listener.close();
        server.close();
        transport.close();
        memory.close();
    }

    SimulatedProcess process() {
        return process;
    }

    String holdings() {
        return memory.holdings().toString();
    }
}
