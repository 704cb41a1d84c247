package io.verbena.hadoop;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** An export of a temporary directory on the loopback interface, and a configuration for it. */
final class TestExport implements Export {
    /** Shorter than by default: a test waits until the delegation of a killed process is revoked. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Path base;
    private final Runtime runtime = new SystemRuntime();
    private final DirectMemory memory = new DirectMemory();
    private final IwarpProvider provider = new IwarpProvider(runtime, memory);
    private final RdmaRpcTransport transport;
    private final NfsServer program;
    private final RpcListener listener;
    private final int owner;

    TestExport() throws IOException {
        base = Files.createTempDirectory("verbena-hadoop");
        transport = new RdmaRpcTransport(
                runtime,
                memory,
                List.of(provider),
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator(),
                List.of());
        Files.createDirectory(directory());
        owner = Math.max(1, (int) Files.getAttribute(base, "unix:uid")); // root may do what tests find forbidden
        Files.setAttribute(directory(), "unix:uid", owner);
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        program = new NfsServer(
                new ExportSettings("test", directory(), false, nobody, 64, true, LEASE, LEASE),
                base.resolve("state"),
                runtime);
        listener =
                transport.listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), program);
    }

    /** The exported directory. */
    Path directory() {
        return base.resolve("export");
    }

    @Override
    public URI uri() {
        return URI.create("nfs+rdma://127.0.0.1:" + listener.localAddress().getPort() + "/");
    }

    /** As {@link #configuration}, for the user of this process. */
    Configuration configurationOfProcess() {
        Configuration configuration = configuration();
        configuration.unset("fs.verbena.options");
        configuration.set("fs.verbena.identity", "process");
        return configuration;
    }

    @Override
    public Configuration configured(Configuration configuration) {
        return Export.configured(configuration, uri(), base.resolve("hadoop").toString(), owner);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        program.close();
        transport.close();
        provider.deactivate();
        memory.close();
        try (Stream<Path> files = Files.walk(base)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
