package io.verbena.benchmarks;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Export and mount of a directory in this process, without OSGi. */
final class Stack implements AutoCloseable {
    private final DirectMemory memory = new DirectMemory();
    private final IwarpProvider provider = new IwarpProvider(new SystemRuntime(), memory);
    private final RdmaRpcTransport transport = new RdmaRpcTransport(
            new SystemRuntime(), memory, provider, List.of(new VersionOneFraming()), new PrivateDataNegotiator());
    private final Path state;
    private final NfsServer server;
    private final RpcListener listener;
    private final NfsMount mount;

    Stack(Path directory) throws IOException {
        this(directory, true);
    }

    /**
     * @param sync whether the export brings changes to stable storage before it answers
     */
    Stack(Path directory, boolean sync) throws IOException {
        state = Files.createTempDirectory("verbena-benchmark-state");
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(
                ExportSettings.of("benchmark", directory).withSquash(nobody).withSync(sync),
                state,
                new SystemRuntime());
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = transport.listen(ListenOptions.on(anyPort), server);
        String port =
                String.format(Locale.ROOT, "port=%d", listener.localAddress().getPort());
        mount = NfsMount.create(
                "benchmark",
                listener.localAddress().getAddress().getHostAddress(),
                "/",
                port,
                transport,
                memory,
                new SystemRuntime());
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
        listener.close();
        server.close();
        transport.close();
        provider.deactivate();
        try (var files = Files.walk(state)) {
            for (Path path : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }
}
