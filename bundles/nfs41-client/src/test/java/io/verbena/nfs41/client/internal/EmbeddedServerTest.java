package io.verbena.nfs41.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ServerSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Client, transport and server of this project together, over loopback. */
class EmbeddedServerTest {
    @TempDir
    Path folder;

    @Test
    @Timeout(120)
    void shouldDoWhatAUserDoes() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        ServerSettings settings = ServerSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        try (Stack stack = new Stack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"));
                RpcListener listener = stack.transport()
                        .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
                NfsMount mount = NfsMount.create(
                        "own",
                        "127.0.0.1",
                        "/",
                        "port=" + listener.localAddress().getPort(),
                        stack.transport())) {
            mount.connect(Duration.ofSeconds(30));
            new MountScenario(mount).run(16, 300);
            mount.close();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("verbena-nfs-"));
        }
    }
}
