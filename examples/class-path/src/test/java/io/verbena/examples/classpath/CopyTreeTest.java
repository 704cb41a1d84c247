package io.verbena.examples.classpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ServerSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.verbs.iwarp.internal.IwarpProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyTreeTest {
    @Test
    void shouldCopyATreeOfAServer(@TempDir Path exported, @TempDir Path state, @TempDir Path target) throws Exception {
        Files.writeString(Files.createDirectories(exported.resolve("a/b")).resolve("file"), "content");
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        ServerSettings settings = ServerSettings.of("test", exported).withSquash(nobody);
        IwarpProvider provider = new IwarpProvider();
        try (RdmaRpcTransport transport = new RdmaRpcTransport(provider, List.of(new VersionOneFraming()), null);
                NfsServer server = new NfsServer(settings, state);
                RpcListener listener = transport.listen(
                        ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server)) {
            String uri = "nfs+rdma://127.0.0.1:" + listener.localAddress().getPort() + "/?ro";

            CopyTree.main(new String[] {uri, "/a", target.toString()});

            assertThat(target.resolve("b/file")).hasContent("content");
        } finally {
            provider.deactivate();
        }
    }
}
