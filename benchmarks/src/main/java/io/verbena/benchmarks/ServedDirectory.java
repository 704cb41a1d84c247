package io.verbena.benchmarks;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An export of a directory over loopback, without OSGi. As a program, it prints the port on which it listens, and for
 * each line of its standard input the octets of heap that it has allocated. It ends when its standard input ends.
 */
final class ServedDirectory implements AutoCloseable {
    private final DirectMemory memory = new DirectMemory();
    private final IwarpProvider provider = PollOption.provider(memory);
    private final RdmaRpcTransport transport = new RdmaRpcTransport(
            new SystemRuntime(), memory, provider, List.of(new VersionOneFraming()), new PrivateDataNegotiator());
    private final Path state;
    private final NfsServer server;
    private final SecurityServer guard;
    private final RpcListener listener;

    /** @param sync whether the export brings changes to stable storage before it answers */
    ServedDirectory(Path directory, boolean sync) throws IOException {
        this(directory, sync, null);
    }

    /** @param realm the export takes all kinds of security, its own principals included; null for AUTH_SYS alone */
    ServedDirectory(Path directory, boolean sync, Realm realm) throws IOException {
        state = Files.createTempDirectory("verbena-benchmark-state");
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        ExportSettings settings =
                ExportSettings.of("benchmark", directory).withSquash(nobody).withSync(sync);
        if (realm != null) {
            settings = settings.withSecurity(realm.exportSecurity(directory));
        }
        server = new NfsServer(settings, state, new SystemRuntime());
        guard = realm == null ? null : realm.server();
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        ListenOptions usual = ListenOptions.on(anyPort);
        listener = transport.listen(
                new ListenOptions(
                        usual.local(),
                        usual.credits(),
                        usual.maxConnections(),
                        usual.maxCallSize(),
                        InlineOption.ofTransport()),
                guard == null ? server : guard.protect(server));
    }

    public static void main(String[] arguments) throws Exception {
        try (ServedDirectory served = new ServedDirectory(Path.of(arguments[0]), true)) {
            System.out.println(served.address().getPort());
            BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            while (asked.readLine() != null) {
                System.out.println(Allocation.own());
            }
        }
    }

    /** See {@link NfsServer#counters}. */
    Map<String, Long> counters() {
        return server.counters();
    }

    InetSocketAddress address() {
        return listener.localAddress();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        server.close();
        if (guard != null) {
            guard.close();
        }
        transport.close();
        provider.deactivate();
        WholePath.deleteAll(state);
    }
}
