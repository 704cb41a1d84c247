package io.verbena.benchmarks;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs41.client.internal.mount.MountUser;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** A mount of an export, without OSGi. */
final class MountedExport implements AutoCloseable {
    private final RdmaProvider provider;
    private final RdmaRpcTransport transport;
    private final NfsMount mount;

    /** @param options as of {@code nfs:mount -o}, without the port */
    MountedExport(InetSocketAddress address, String options) throws IOException {
        this(new DirectMemory(), address, options);
    }

    /** @param user who makes the calls */
    MountedExport(InetSocketAddress address, String options, MountUser user) throws IOException {
        this(new DirectMemory(), null, address, options, user);
    }

    private MountedExport(DirectMemory memory, InetSocketAddress address, String options) throws IOException {
        this(memory, PollOption.provider(memory), address, options);
    }

    /** @param provider its memory is of that budget */
    MountedExport(DirectMemory memory, RdmaProvider provider, InetSocketAddress address, String options)
            throws IOException {
        this(memory, provider, address, options, MountUser.OF_OPTIONS);
    }

    private MountedExport(
            DirectMemory memory, RdmaProvider given, InetSocketAddress address, String options, MountUser user)
            throws IOException {
        provider = given == null ? PollOption.provider(memory) : given;
        transport = new RdmaRpcTransport(
                new SystemRuntime(), memory, provider, List.of(new VersionOneFraming()), new PrivateDataNegotiator());
        String all = options.isEmpty() ? "" : options + ',';
        mount = NfsMount.create(
                "benchmark",
                user.equals(MountUser.OF_OPTIONS)
                        ? address.getAddress().getHostAddress()
                        : address.getHostString(), // as the principal of the server has it
                "/",
                all + "port=" + address.getPort(),
                transport,
                user,
                memory,
                new SystemRuntime(),
                () -> {});
        mount.connect(Duration.ofSeconds(10));
    }

    RdmaProvider provider() {
        return provider;
    }

    RpcTransport transport() {
        return transport;
    }

    Mount mount() {
        return mount;
    }

    @Override
    public void close() throws IOException {
        mount.close();
        transport.close();
        if (provider instanceof IwarpProvider iwarp) {
            iwarp.deactivate();
        }
    }
}
