package io.verbena.nfs41.client.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.client.internal.mount.NfsMount;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Client, transport and server of this project, with a network between them that fails. */
@Timeout(120)
class RelayedServerTest {
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    /** More than an MPA request with its private data has, and less than with any call behind it. */
    private static final long HANDSHAKE = 96;

    @TempDir
    Path folder;

    private final Stack stack = new Stack();
    private NfsServer server;
    private RpcListener listener;
    private Relay relay;

    @BeforeEach
    void start() throws Exception {
        ExportSettings settings = ExportSettings.of("test", Files.createDirectory(folder.resolve("export")))
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
        relay = new Relay(listener.localAddress());
    }

    @AfterEach
    void stop() throws Exception {
        relay.close();
        listener.close();
        server.close();
        stack.close();
    }

    private NfsMount mount(String options) throws Exception {
        NfsMount mount = NfsMount.create(
                "own",
                "127.0.0.1",
                "/",
                options + ",port=" + relay.port(),
                stack.transport(),
                new DirectMemory(),
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
        return mount;
    }

    @Test
    void shouldWaitOnceForAServerThatGoesSilentWhileAFileIsWritten() throws Exception {
        try (NfsMount mount = mount("soft,timeo=10,retrans=1")) {
            RemoteFile file = mount.open("/part", WRITE, 0600);
            file.write(ByteBuffer.allocate(100_000), 0);
            relay.silent = true;
            assertThatThrownBy(() -> {
                        file.write(ByteBuffer.allocate(100_000), 100_000);
                        file.sync();
                    })
                    .isInstanceOf(ServerUnavailableException.class);
            assertThatThrownBy(file::close).isInstanceOf(ServerUnavailableException.class);
            assertThatThrownBy(() -> mount.remove("/part"))
                    .isInstanceOf(ServerUnavailableException.class)
                    .hasMessageContaining("has not answered anything for")
                    .hasMessageEndingWith("the request was not sent");
            relay.silent = false;
            while (mount.unresponsiveServer().isPresent()) { // the mount finds out by itself
                TimeUnit.MILLISECONDS.sleep(10);
            }
            mount.remove("/part");
        }
    }

    @Test
    void shouldNotReconnectAtFullSpeedWhereEachConnectionBreaks() throws Exception {
        try (NfsMount mount = mount("hard,timeo=20")) {
            int before = relay.connections.get();
            relay.mostOctets = HANDSHAKE;
            relay.breakAll();
            CompletableFuture<?> asked = mount.attributesAsync("/");
            // each pause is longer than the one before: this many take more than a second
            while (relay.connections.get() < before + 10) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat(asked).isNotDone();
            assertThat(mount.unresponsiveServer()).isPresent();
            relay.mostOctets = Long.MAX_VALUE;
            asked.get(30, TimeUnit.SECONDS);
            assertThat(relay.connections.get()).isLessThan(before + 20);
        }
    }

    @Test
    void shouldEndASoftMountsRequestWhereEachConnectionBreaks() throws Exception {
        try (NfsMount mount = mount("soft,timeo=10,retrans=1")) {
            int before = relay.connections.get();
            relay.mostOctets = HANDSHAKE;
            relay.breakAll();
            assertThatThrownBy(() -> mount.attributes("/", true)).isInstanceOf(ServerUnavailableException.class);
            assertThat(relay.connections.get()).isLessThan(before + 40);
            relay.mostOctets = Long.MAX_VALUE;
        }
    }
}
