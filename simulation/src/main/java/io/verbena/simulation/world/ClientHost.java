package io.verbena.simulation.world;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.NfsFileSystemProvider;
import io.verbena.nfs.transfer.CopyEngine;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.engine.TransferEngine;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.runtime.Runtime;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.network.SimulatedProvider;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.FileSystem;
import java.time.Duration;
import java.util.Map;

/** A host with a mount of the server's export, and the file system of java.nio on it. */
public final class ClientHost {
    private static final long PAUSE_NANOS = 10_000_000;
    /** How long a client bundle waits for what is under way, before it stops. */
    public static final Duration BOUND = Duration.ofSeconds(10);

    private final SimulatedProcess process;
    private final InetAddress address;
    private final WorldOptions options;
    private final DirectMemory memory;
    private final TransportServices services;
    private final String server;
    private final NfsFileSystemProvider provider;
    private final FileSystem fileSystem;
    private final TransferEngine engine;
    private NfsMount mount;
    private int replacements;
    private boolean isBeingReplaced;
    private boolean isClosed;

    /** Begins to mount. A strand of the process calls this. */
    ClientHost(
            SimulatedNetwork network,
            SimulatedProcess process,
            InetAddress address,
            ServerHost server,
            WorldOptions options) {
        this.process = process;
        this.address = address;
        this.options = options;
        Runtime runtime = process.runtime();
        this.server = server.address().getHostAddress();
        memory = new DirectMemory(options.clientMemory(), runtime);
        services = new TransportServices(
                runtime,
                memory,
                () -> new SimulatedProvider(
                        network, process, address, options.remoteInvalidation(), options.directMemory()));
        // the next process of a host is the same client to the server
        String owner = options.sharing() ? address.getHostAddress() : process.name();
        mount = newMount(Opaque.of("simulated/" + owner), Map.of());
        provider = new NfsFileSystemProvider(runtime);
        provider.addMount(mount);
        fileSystem = provider.getFileSystem(URI.create("nfs+rdma:" + process.name()));
        engine = new TransferEngine(runtime);
    }

    private NfsMount newMount(Opaque owner, Map<String, String> known) {
        return NfsMount.createAs(
                owner,
                known,
                process.name(),
                server,
                "/",
                options.mountOptions(),
                services.transport(),
                memory,
                process.runtime());
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

    public CopyEngine engine() {
        return engine;
    }

    /** A file or directory of the mount, also of the mounts that take its place. */
    public Location location(String path) {
        return Location.of(mount, path).withSuccessors(this::successor);
    }

    private Mount successor(Mount gone) throws InterruptedException {
        while (mount == gone) {
            process.runtime().sleep(PAUSE_NANOS);
        }
        return mount;
    }

    /** Whether operations fail when the server does not answer in time. */
    public boolean isSoft() {
        return options.isSoft();
    }

    /** How long a call of a soft mount goes on. */
    public Duration majorTimeout() {
        return options.majorTimeout();
    }

    /** How often the mount was replaced. Programs open their files again then, but those of java.nio need not. */
    public int replacements() {
        return replacements;
    }

    /** Whether one mount goes and the next one is not there yet. */
    public boolean isBeingReplaced() {
        return isBeingReplaced;
    }

    /** Replaces the mount, as an update of the client's bundle does; returns whether it did. */
    boolean replaceMount() {
        if (isBeingReplaced || isClosed) {
            return false;
        }
        isBeingReplaced = true;
        NfsMount old = mount;
        replacements++;
        provider.removeMount(old);
        old.end(MountLifetime.End.REPLACED, BOUND);
        mount = newMount(old.owner(), old.known());
        provider.addMount(mount);
        isBeingReplaced = false;
        return true;
    }

    /** Replaces the transport under the mount, as an update of its bundle does; returns whether it did. */
    boolean swapTransport() {
        if (isClosed) {
            return false;
        }
        return services.replaceTransport(new TransportServices.User() {
            @Override
            public void gone(RdmaRpcTransport old) {
                mount.transportGone(old);
            }

            @Override
            public void came(RdmaRpcTransport fresh) {
                mount.transportCame(fresh);
            }
        });
    }

    TransportServices services() {
        return services;
    }

    /** Unmounts. */
    void close() throws IOException, InterruptedException {
        while (isBeingReplaced) {
            process.runtime().sleep(PAUSE_NANOS);
        }
        isClosed = true; // a strand of a process that stood still may replace something only now
        engine.close();
        fileSystem.close();
        mount.close();
        services.close();
        memory.close();
    }

    DirectMemory memory() {
        return memory;
    }

    long leasedBytes() {
        return memory.leasedBytes();
    }

    String holdings() {
        return memory.holdings().toString();
    }
}
