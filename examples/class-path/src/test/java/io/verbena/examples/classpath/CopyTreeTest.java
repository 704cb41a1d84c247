package io.verbena.examples.classpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
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
        ExportSettings settings = ExportSettings.of("test", exported).withSquash(nobody);
        IwarpProvider provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
        try (RdmaRpcTransport transport = new RdmaRpcTransport(
                        new SystemRuntime(), new DirectMemory(), provider, List.of(new VersionOneFraming()), null);
                NfsServer server = new NfsServer(settings, state, new SystemRuntime());
                RpcListener listener = transport.listen(
                        ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server)) {
            String options = "ro,port=" + listener.localAddress().getPort();

            CopyTree.main(new String[] {"127.0.0.1", "/", options, "/a", target.toString()});
            CopySummary again = CopyTree.copy("127.0.0.1", "/", options, "/a", target);

            assertThat(target.resolve("b/file")).hasContent("content");
            assertThat(again.files()).isZero();
            assertThat(again.unchanged()).as("what the first copy has done").isEqualTo(1);
        } finally {
            provider.deactivate();
        }
    }
}
