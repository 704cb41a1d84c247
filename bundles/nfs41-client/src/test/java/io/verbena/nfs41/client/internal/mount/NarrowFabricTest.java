package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.testing.Relay;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
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

/** As {@link NarrowPathTest}, with a transport that sends calls again itself, until their time is over. */
@Timeout(60)
class NarrowFabricTest {
    private static final int LENGTH = 3 << 20;
    private static final int CARRIED = 200_000;

    @TempDir
    private Path exported;

    @TempDir
    private Path state;

    @Test
    void shouldMoveByWhatThePathCarriesWhatItDoesNotCarryAsAWhole() throws Exception {
        byte[] content = new byte[LENGTH];
        new Random(1).nextBytes(content);
        Files.write(exported.resolve("file"), content);
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        try (Stack stack = new Stack();
                NfsServer server = new NfsServer(settings, state, new SystemRuntime());
                RpcListener listener = stack.transport()
                        .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
                Relay relay = new Relay(listener.localAddress());
                NfsMount mount = NfsMount.create(
                        "work",
                        "127.0.0.1",
                        "/",
                        "hard,timeo=10,port=" + relay.port(),
                        stack.transport(),
                        new DirectMemory(),
                        new SystemRuntime())) {
            mount.connect(Duration.ofSeconds(30));
            relay.mostAtATime = CARRIED;
            try (RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.READ), 0)) {
                ByteBuffer found = ByteBuffer.allocateDirect(LENGTH);
                assertThat(file.read(found, 0)).isEqualTo(LENGTH);
                assertThat(found.flip()).isEqualTo(ByteBuffer.wrap(content));
            }
            assertThat(mount.settings()).containsKey("transferLimit");
            try (RemoteFile file =
                    mount.open("/new", Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), 0600)) {
                file.write(ByteBuffer.wrap(content), 0);
            }
            assertThat(exported.resolve("new")).hasBinaryContent(content);
        }
    }
}
