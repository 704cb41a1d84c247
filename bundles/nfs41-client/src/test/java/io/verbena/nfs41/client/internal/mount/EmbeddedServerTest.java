package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.testing.MountScenario;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Client, transport and server of this project together, over loopback. */
class EmbeddedServerTest {
    private static final Runtime RUNTIME = new SystemRuntime();

    @TempDir
    Path folder;

    @Test
    @Timeout(120)
    void shouldDoWhatAUserDoes() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        try (Stack stack = new Stack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
                RpcListener listener = stack.transport()
                        .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
                NfsMount mount = NfsMount.create(
                        "own",
                        "127.0.0.1",
                        "/",
                        "port=" + listener.localAddress().getPort(),
                        stack.transport(),
                        new DirectMemory(),
                        RUNTIME)) {
            mount.connect(Duration.ofSeconds(30));
            new MountScenario(mount).run(16, 300);
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("verbena-nfs-"));
    }

    @Test
    @Timeout(120)
    void shouldGoOnWhenTheServerIsRestarted() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        Path state = folder.resolve("state");
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        byte[] content = new byte[3 << 20];
        new Random(1).nextBytes(content);
        try (Stack clientSide = new Stack();
                Stack serverSide = new Stack()) {
            NfsServer server = new NfsServer(settings, state, new SystemRuntime());
            RpcListener listener = serverSide.transport().listen(ListenOptions.on(any), server);
            InetSocketAddress address = listener.localAddress();
            try (NfsMount mount = NfsMount.create(
                    "own",
                    "127.0.0.1",
                    "/",
                    "timeo=100,port=" + address.getPort(),
                    clientSide.transport(),
                    new DirectMemory(),
                    RUNTIME)) {
                mount.connect(Duration.ofSeconds(30));
                RemoteFile file = mount.open(
                        "/file",
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ),
                        0600);
                assertThat(file.tryLock(0, 10, false)).isPresent();
                file.write(ByteBuffer.wrap(content), 0);
                listener.close();
                server.close();
                server = new NfsServer(settings, state, new SystemRuntime());
                listener = serverSide.transport().listen(ListenOptions.on(address), server);
                ByteBuffer read = ByteBuffer.allocate(content.length);
                assertThat(file.read(read, 0)).isEqualTo(content.length);
                assertThat(read.array()).isEqualTo(content);
                file.write(ByteBuffer.wrap(content), 1);
                file.close();
                assertThat(mount.attributes("/file", true).size()).isEqualTo(content.length + 1L);
                // the file's delegation, which is left, was claimed
                assertThat(server.counters())
                        .containsEntry("delegationsGranted", 1L)
                        .containsEntry("openStates", 1L);
            } finally {
                listener.close();
                server.close();
            }
        }
    }
}
