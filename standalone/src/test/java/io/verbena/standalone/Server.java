package io.verbena.standalone;

import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;

/** A server of a directory, on the loopback interface. */
final class Server implements AutoCloseable {
    private final SystemRuntime runtime = new SystemRuntime();
    private final Stack stack = new Stack();
    private final NfsServer program;
    private final RpcListener listener;

    Server(Path directory, Path state) throws IOException {
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        program = new NfsServer(ExportSettings.of("test", directory).withSquash(nobody), state, runtime);
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), program);
    }

    /** Returns the URI of the server's root, or of a path below it. */
    URI uri(String pathAndQuery) {
        return URI.create("nfs+rdma://127.0.0.1:" + listener.localAddress().getPort() + pathAndQuery);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        program.close();
        runtime.close();
        stack.close();
    }
}
