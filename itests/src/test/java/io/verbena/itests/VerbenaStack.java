package io.verbena.itests;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.client.internal.mount.MountUser;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** RPC-over-RDMA on software iWARP in this process, without OSGi. */
public final class VerbenaStack implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(30);

    private final DirectMemory memory = new DirectMemory();
    private final IwarpProvider provider = new IwarpProvider(new SystemRuntime(), memory);
    private final RdmaRpcTransport transport = new RdmaRpcTransport(
            new SystemRuntime(),
            memory,
            provider,
            List.of(new VersionOneFraming(), new VersionTwoFraming()),
            new PrivateDataNegotiator(),
            List.of(new BufferSizes()));

    /** Adds an observer of the connections. */
    void observe(WireObserver observer) {
        provider.addObserver(observer);
    }

    void forget(WireObserver observer) {
        provider.removeObserver(observer);
    }

    /** The budget of all buffers. */
    public DirectMemory memory() {
        return memory;
    }

    public RdmaRpcTransport transport() {
        return transport;
    }

    /** The number of connections of both ends. */
    public int connections() {
        return transport.connections().size();
    }

    /**
     * Mounts and connects.
     *
     * @param options the options as in fstab, without the port
     */
    public NfsMount mount(InetSocketAddress server, String export, String options) throws IOException {
        return mount(server.getAddress().getHostAddress(), server.getPort(), export, options, MountUser.OF_OPTIONS);
    }

    /**
     * As above.
     *
     * @param user who makes the calls
     */
    public NfsMount mount(String server, int port, String export, String options, MountUser user) throws IOException {
        String all = (options.isEmpty() ? "" : options + ",") + "port=" + port;
        NfsMount mount =
                NfsMount.create("peer", server, export, all, transport, user, memory, new SystemRuntime(), () -> {});
        boolean isMounted = false;
        try {
            mount.connect(CONNECT);
            isMounted = true;
            return mount;
        } finally {
            if (!isMounted) {
                mount.close();
            }
        }
    }

    /**
     * Serves on the loopback interface.
     *
     * @param port the port, 0 for a free one
     */
    public RpcListener serve(NfsServer server, int port) throws IOException {
        return serve(server, port, Map.of());
    }

    /**
     * As above.
     *
     * @param options options of the transport, such as {@code crc}
     */
    public RpcListener serve(RpcProgram server, int port, Map<String, String> options) throws IOException {
        ListenOptions usual = ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return transport.listen(
                new ListenOptions(usual.local(), usual.credits(), usual.maxConnections(), usual.maxCallSize(), options),
                server);
    }

    @Override
    public void close() {
        transport.close();
        provider.deactivate();
    }
}
