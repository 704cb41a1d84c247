package io.verbena.nfs41.client.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.runtime.SystemRuntime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A back channel over RPC-over-RDMA whose connection is lost. */
@Timeout(120)
class ReboundTest {
    private static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    @TempDir
    Path folder;

    /** The server, and who called it by which connection. */
    private static final class Watched implements RpcProgram {
        private final NfsServer server;
        private final Set<Long> known = ConcurrentHashMap.newKeySet();
        private final BlockingQueue<RpcPeer> connections = new LinkedBlockingQueue<>();

        Watched(NfsServer server) {
            this.server = server;
        }

        RpcPeer next() throws InterruptedException {
            RpcPeer peer = connections.poll(60, TimeUnit.SECONDS);
            assertThat(peer).isNotNull();
            return peer;
        }

        @Override
        public int program() {
            return server.program();
        }

        @Override
        public int lowVersion() {
            return server.lowVersion();
        }

        @Override
        public int highVersion() {
            return server.highVersion();
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            RpcPeer peer = request.peer();
            if (known.add(peer.connectionId())) {
                connections.add(peer);
            }
            server.handle(request);
        }

        @Override
        public void disconnected(RpcPeer peer) {
            server.disconnected(peer);
        }
    }

    @Test
    @Proves({"BI-3.2-1", "BI-5.4-2", "V1-8.3.1-1"})
    @DisplayName("Who holds a delegation reconnects unasked, binds, and can be called again")
    void shouldBeThereForARecallAfterItsConnectionWasLost() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Stack stack = new Stack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime())) {
            Watched watched = new Watched(server);
            try (RpcListener listener = stack.transport().listen(ListenOptions.on(any), watched);
                    NfsMount holder = mount(stack, listener);
                    RemoteFile held = holder.open("/file", WRITE, 0600)) {
                held.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
                held.sync();
                assertThat(holder.settings()).containsEntry("delegated", "1");
                watched.next().disconnect();
                watched.next(); // made by the holder, who has nothing to do
                try (NfsMount other = mount(stack, listener);
                        RemoteFile wanted = other.open("/file", WRITE, 0600)) {
                    assertThat(wanted.attributes().size()).isEqualTo(3);
                    assertThat(holder.settings()).containsEntry("delegated", "0");
                    assertThat(server.counters()).containsEntry("recalls", 1L).containsEntry("revocations", 0L);
                }
            }
        }
    }

    private static NfsMount mount(Stack stack, RpcListener listener) throws Exception {
        String options = "port=" + listener.localAddress().getPort();
        NfsMount mount =
                NfsMount.create("m", "127.0.0.1", "/", options, stack.transport(), stack.memory(), new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
        return mount;
    }
}
