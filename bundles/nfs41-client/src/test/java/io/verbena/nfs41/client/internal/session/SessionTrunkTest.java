package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.Latches;
import io.verbena.nfs41.client.internal.testing.Relay;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.client.internal.testing.TestThread;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several connections of a mount: {@code nconnect}. */
@Timeout(120)
final class SessionTrunkTest {
    private static final Set<StandardOpenOption> BOTH =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
    private static final int PIECE = 64 << 10;
    private static final int PIECES = 64;

    @TempDir
    private Path folder;

    private static void await(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static String connections(NfsMount mount) {
        return mount.settings().get("connections");
    }

    private NfsServer server() throws IOException {
        ExportSettings settings = ExportSettings.of("test", Files.createDirectory(folder.resolve("export")))
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        return new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
    }

    private static ListenOptions anywhere() {
        return ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static NfsMount mount(RpcTransport transport, int port, String options) throws IOException {
        NfsMount mount = NfsMount.create(
                "own",
                "127.0.0.1",
                "/",
                "port=" + port + "," + options,
                transport,
                new DirectMemory(),
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
        return mount;
    }

    /** Writes and reads a file in pieces, eight at a time, and compares. */
    private static void work(NfsMount mount, String path, int seed, Callable<?> meanwhile) throws Exception {
        byte[] content = new byte[PIECES * PIECE];
        new Random(seed).nextBytes(content);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (RemoteFile file = mount.open(path, BOTH, 0600)) {
            byte[] read = new byte[content.length];
            inPieces(threads, meanwhile, at -> file.write(ByteBuffer.wrap(content, at, PIECE), at));
            file.sync();
            inPieces(threads, meanwhile, at -> {
                ByteBuffer target = ByteBuffer.wrap(read, at, PIECE);
                while (target.hasRemaining()) {
                    assertThat(file.read(target, target.position())).isPositive();
                }
            });
            assertThat(read).isEqualTo(content);
        } finally {
            threads.shutdownNow();
        }
    }

    private interface Piece {
        void run(int at) throws IOException;
    }

    private static void inPieces(ExecutorService threads, Callable<?> meanwhile, Piece piece) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < PIECES; i++) {
            int at = i * PIECE;
            all.add(threads.submit(() -> {
                piece.run(at);
                return null;
            }));
        }
        meanwhile.call();
        for (Future<?> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldNotMakeConnectionsTogetherWithOtherMounts() {
        long late = SessionTrunk.ATTEMPTS.start(() -> 0, () -> 0).nextPauseNanos();
        long early = SessionTrunk.ATTEMPTS.start(() -> 0, () -> 0.999).nextPauseNanos();
        assertThat(early).isLessThan(late * 2 / 3);
    }

    @Test
    void shouldSpreadReadsAndWritesOverConnectionsOfOneSession() throws Exception {
        try (Stack stack = new Stack();
                NfsServer server = server();
                RpcListener listener = stack.transport().listen(anywhere(), server);
                NfsMount mount =
                        mount(stack.transport(), listener.localAddress().getPort(), "nconnect=4,noac")) {
            await(() -> "4 of 4".equals(connections(mount)));
            work(mount, "/file", 1, () -> null);
            List<ConnectionStatus> own = own(stack).toList();
            assertThat(own)
                    .extracting(each -> each.settings().get("label"))
                    .containsExactlyInAnyOrder("own", "own#2", "own#3", "own#4");
            assertThat(own)
                    .allSatisfy(each -> assertThat(each.counters().get("calls")).isGreaterThan(1));
        }
    }

    @Test
    void shouldGoOnByTheOtherConnectionsWhereOneIsLost() throws Exception {
        try (Stack stack = new Stack();
                NfsServer server = server();
                RpcListener listener = stack.transport().listen(anywhere(), server);
                Relay relay = new Relay(listener.localAddress());
                NfsMount mount = mount(stack.transport(), relay.port(), "nconnect=4,hard")) {
            await(() -> "4 of 4".equals(connections(mount)));
            for (int i = 0; i < 6; i++) {
                work(mount, "/file" + i, i, () -> {
                    relay.breakOne();
                    return null;
                });
            }
            await(() -> "4 of 4".equals(connections(mount)));
            work(mount, "/all", 7, () -> {
                relay.breakAll();
                return null;
            });
            await(() -> "4 of 4".equals(connections(mount)));
        }
    }

    @Test
    void shouldReplaceAllConnectionsWhereTheUserReconnects() throws Exception {
        try (Stack stack = new Stack();
                NfsServer server = server();
                RpcListener listener = stack.transport().listen(anywhere(), server);
                NfsMount mount =
                        mount(stack.transport(), listener.localAddress().getPort(), "nconnect=4,hard")) {
            await(() -> "4 of 4".equals(connections(mount)));
            Set<Object> before = addresses(stack);
            work(mount, "/file", 3, () -> {
                mount.reconnect(Duration.ofSeconds(30));
                return null;
            });
            await(() -> "4 of 4".equals(connections(mount)));
            assertThat(before).hasSize(4);
            assertThat(addresses(stack)).hasSize(4).doesNotContainAnyElementsOf(before);
        }
    }

    private static Set<Object> addresses(Stack stack) {
        return own(stack).map(ConnectionStatus::local).collect(Collectors.toSet());
    }

    private static Stream<ConnectionStatus> own(Stack stack) {
        return ((RdmaRpcTransport) stack.transport()).connections().stream().filter(each -> each.settings()
                .getOrDefault("label", "")
                .startsWith("own"));
    }

    @Test
    void shouldGoOnWithTheConnectionsThatTheServerTakes() throws Exception {
        try (FakeServer server = new FakeServer()) {
            server.failNext(Opcode.BIND_CONN_TO_SESSION, Status.NFS4_OK, Status.NFS4ERR_INVAL);
            try (NfsMount mount = mount(server, 20049, "nconnect=3")) {
                assertThat(server.binds.poll(30, TimeUnit.SECONDS)).isNotNull();
                BindConnToSession.Args refused = server.binds.poll(30, TimeUnit.SECONDS);
                assertThat(refused.sessionId()).isEqualTo(server.session);
                await(() -> "2 of 3".equals(connections(mount)));
                mount.attributes("/", true);
                assertThat(server.binds).isEmpty();
                assertThat(server.connections).hasValue(3);

                server.asked.get(1).observer().lost(null);
                assertThat(server.binds.poll(30, TimeUnit.SECONDS)).isNotNull();
                await(() -> "2 of 3".equals(connections(mount)));
                assertThat(server.asked.get(3).transport()).containsEntry("label", "own#2");
            }
        }
    }

    @Test
    void shouldKnowHowManyTheServerTakesWhereOneIsLostWhileAnotherIsRefused() throws Exception {
        try (FakeServer server = new FakeServer()) {
            server.failNext(Opcode.BIND_CONN_TO_SESSION, Status.NFS4_OK, Status.NFS4ERR_INVAL);
            AtomicBoolean isLost = new AtomicBoolean();
            server.onRequest = () -> {
                boolean isRefusedNext = server.asked.size() == 3 && server.binds.size() == 1;
                if (isRefusedNext && isLost.compareAndSet(false, true)) {
                    server.asked.get(1).observer().lost(null);
                }
            };
            try (NfsMount mount = mount(server, 20049, "nconnect=3")) {
                await(() -> server.asked.size() == 4 && "2 of 3".equals(connections(mount)));
                assertThat(isLost).isTrue();
            }
        }
    }

    /** A pause for each of them would be a minute after the second time. */
    @Test
    void shouldCountConnectionsThatAreLostTogetherAsOneLoss() throws Exception {
        try (FakeServer server = new FakeServer();
                NfsMount mount = mount(server, 20049, "nconnect=16")) {
            for (int losses = 0; losses < 6; losses++) {
                await(() -> "16 of 16".equals(connections(mount)));
                int made = server.asked.size();
                for (ConnectOptions each : List.copyOf(server.asked.subList(made - 15, made))) {
                    each.observer().lost(null);
                }
            }
            await(() -> "16 of 16".equals(connections(mount)));
        }
    }

    @Test
    void shouldMakeOneConnectionWhereNoMoreAreAskedFor() throws Exception {
        try (FakeServer server = new FakeServer();
                NfsMount mount = mount(server, 20049, "")) {
            mount.attributes("/", true);
            assertThat(connections(mount)).isNull();
            assertThat(server.connections).hasValue(1);
        }
    }

    @Test
    void shouldBindItsConnectionsToTheNextSession() throws Exception {
        try (FakeServer server = new FakeServer();
                NfsMount mount = mount(server, 20049, "nconnect=2")) {
            assertThat(server.binds.poll(30, TimeUnit.SECONDS).sessionId()).isEqualTo(server.session);
            server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_BADSESSION);
            mount.attributes("/", true);
            assertThat(server.binds.poll(30, TimeUnit.SECONDS).sessionId()).isEqualTo(server.session);
            await(() -> "2 of 2".equals(connections(mount)));
        }
    }

    /** As after a restart of the server: it does not know the session before any more. */
    @Test
    void shouldNotTakeTheRefusalInOneSessionForThatInTheNext() throws Exception {
        CountDownLatch refused = new CountDownLatch(1);
        CountDownLatch next = new CountDownLatch(1);
        try (FakeServer server = new FakeServer()) {
            server.failNext(Opcode.BIND_CONN_TO_SESSION, Status.NFS4ERR_BADSESSION);
            server.onClose = () -> { // of the connection that was refused, before anybody looks at the reason
                server.onClose = () -> {};
                refused.countDown();
                Latches.await(next);
            };
            try (NfsMount mount = mount(server, 20049, "nconnect=3")) {
                Latches.await(refused);
                server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_BADSESSION);
                mount.attributes("/", true);
                next.countDown();
                await(() -> "3 of 3".equals(connections(mount)));
            } finally {
                next.countDown();
            }
        }
    }

    /** The end of one connection may take long, as where its peer is silent. */
    @Test
    void shouldNotEndItsConnectionsOneAfterTheOtherNorWaitForThemBeyondTheBound() throws Exception {
        CountDownLatch closing = new CountDownLatch(4);
        CountDownLatch end = new CountDownLatch(1);
        try (FakeServer server = new FakeServer()) {
            NfsMount mount = mount(server, 20049, "nconnect=4");
            await(() -> "4 of 4".equals(connections(mount)));
            server.onClose = () -> {
                closing.countDown();
                Latches.await(end);
            };
            TestThread unmounting =
                    TestThread.start(() -> mount.end(MountLifetime.End.UNMOUNTED, Duration.ofMillis(200)));
            Latches.await(closing);
            assertThat(unmounting.end()).isNull();
            assertThat(server.destroyed).isNotEmpty();
        } finally {
            end.countDown();
        }
    }
}
