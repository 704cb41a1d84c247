package io.verbena.fuse.internal;

import io.verbena.fuse.FuseMount;
import io.verbena.fuse.FuseSettings;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;

/** A directory that is exported, mounted and shown at another directory, all by this process. */
final class Loopback implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);
    static final String NAME = "loop";

    private final SystemRuntime runtime = new SystemRuntime();
    private final Path exported;
    private final Path directory;
    private final FuseMountsComponent mounts = new FuseMountsComponent(runtime);
    private final String options;
    private Server server;
    private ClosableMount mount;
    private FuseMount fuse;

    /** One life of the server. */
    private static final class Server implements AutoCloseable {
        private final SystemRuntime runtime = new SystemRuntime();
        private final DirectMemory memory = new DirectMemory();
        private final IwarpProvider provider = new IwarpProvider(runtime, memory);
        private final RdmaRpcTransport transport = new RdmaRpcTransport(
                runtime,
                memory,
                List.of(provider),
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator(),
                List.of());
        private final NfsServer program;
        private final RpcListener listener;

        Server(Path directory, Path state, int port) throws IOException {
            Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
            program =
                    new NfsServer(ExportSettings.of("test", directory).withSquash(nobody), state, new SystemRuntime());
            listener = transport.listen(
                    ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)), program);
        }

        int port() {
            return listener.localAddress().getPort();
        }

        @Override
        public void close() throws IOException {
            listener.close();
            program.close();
            transport.close();
            provider.deactivate();
            memory.close();
        }
    }

    private Loopback(Path base, String options) throws IOException {
        this.exported = Files.createDirectories(base.resolve("export"));
        this.directory = Files.createDirectories(base.resolve("mnt"));
        this.options = options;
    }

    /** Exports {@code base/export}, and shows it at {@code base/mnt}. */
    static Loopback start(Path base, String options) throws IOException {
        Loopback loopback = new Loopback(base, options);
        boolean done = false;
        try {
            loopback.startServer(0);
            loopback.replaceMount();
            loopback.fuse = loopback.mounts.mount(NAME, loopback.directory, FuseSettings.defaults(true));
            done = true;
            return loopback;
        } finally {
            if (!done) {
                loopback.close();
            }
        }
    }

    private void startServer(int port) throws IOException {
        server = new Server(exported, Files.createDirectories(exported.resolveSibling("state")), port);
    }

    /** Ends the server as one that loses power; returns its port. */
    int stopServer() throws IOException {
        int port = server.port();
        server.close();
        server = null;
        return port;
    }

    void startServerAgain(int port) throws IOException {
        startServer(port);
    }

    /** Has another mount take the place of the present one, as when the client's bundle is updated. */
    void replaceMount() throws IOException {
        ClosableMount gone = mount;
        mount = ServiceLoader.load(MountFactory.class)
                .findFirst()
                .orElseThrow()
                .mount(
                        NAME,
                        "127.0.0.1",
                        "/",
                        MountOptions.parse(
                                "links=off,port=" + server.port() + (options.isEmpty() ? "" : "," + options)));
        if (gone != null) {
            mounts.removeMount(gone);
            ((NfsMount) gone).end(MountLifetime.End.REPLACED);
        }
        mount.connect(LIMIT);
        mounts.addMount(mount);
    }

    Path exported() {
        return exported;
    }

    Path directory() {
        return directory;
    }

    FuseMount fuse() {
        return fuse;
    }

    FuseMountsComponent mounts() {
        return mounts;
    }

    @Override
    public void close() throws IOException {
        try {
            mounts.deactivate();
        } finally {
            if (mount != null) {
                mount.close();
            }
            if (server != null) {
                server.close();
            }
        }
    }
}
