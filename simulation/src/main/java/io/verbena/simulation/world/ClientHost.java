package io.verbena.simulation.world;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.NfsFileSystemProvider;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.Runtime;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.network.SimulatedProvider;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.net.InetAddress;
import java.nio.file.FileSystem;
import java.util.List;

/** A host with a mount of the server's export, and the file system of java.nio on it. */
public final class ClientHost {
    private static final long MEMORY = 64 << 20;

    private final SimulatedNetwork network;
    private final SimulatedProcess process;
    private final InetAddress address;
    private final WorldOptions options;
    private final DirectMemory memory;
    private final NfsMount mount;
    private final FileSystem fileSystem;
    private RdmaRpcTransport transport;

    /** Begins to mount. A strand of the process calls this. */
    ClientHost(
            SimulatedNetwork network,
            SimulatedProcess process,
            InetAddress address,
            ServerHost server,
            WorldOptions options) {
        this.network = network;
        this.process = process;
        this.address = address;
        this.options = options;
        Runtime runtime = process.runtime();
        memory = new DirectMemory(MEMORY, runtime);
        transport = newTransport();
        mount = NfsMount.createAs(
                Opaque.of("simulated/" + process.name()),
                process.name(),
                server.address().getHostAddress(),
                "/",
                options.mountOptions(),
                transport,
                memory,
                runtime);
        fileSystem = new NfsFileSystemProvider(runtime).over(mount);
    }

    private RdmaRpcTransport newTransport() {
        return new RdmaRpcTransport(
                process.runtime(),
                memory,
                List.of(new SimulatedProvider(network, process, address, options.remoteInvalidation())),
                List.of(new VersionOneFraming(), new VersionTwoFraming()),
                new PrivateDataNegotiator(),
                List.of(new BufferSizes()));
    }

    InetAddress address() {
        return address;
    }

    public SimulatedProcess process() {
        return process;
    }

    public Mount mount() {
        return mount;
    }

    public FileSystem fileSystem() {
        return fileSystem;
    }

    /** Replaces the transport under the mount, as an update of its bundle does. */
    void swapTransport() {
        RdmaRpcTransport old = transport;
        mount.transportGone(old);
        old.close();
        transport = newTransport();
        mount.transportCame(transport);
    }

    /** Unmounts. */
    void close() throws java.io.IOException {
        fileSystem.close();
        mount.close();
        transport.close();
        memory.close();
    }

    long leasedBytes() {
        return memory.leasedBytes();
    }

    String holdings() {
        return memory.holdings().toString();
    }
}
