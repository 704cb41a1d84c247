package io.verbena.nfs41.client.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.Latches;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services of this host that go, stay away for longer than swapTimeout, and come back. */
@Timeout(60)
class MissingServiceTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    /** A transport that itself lacks something as long as that is missing. */
    private record Lacking(FakeServer server, CountDownLatch missing) implements RpcTransport {
        @Override
        public RpcConnection connect(ConnectOptions options) throws IOException {
            if (missing.getCount() > 0) {
                missing.countDown();
                throw new MissingServiceException("no framing is there: start bundle io.verbena.rpcrdma.v1");
            }
            return server.connect(options);
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            return server.listen(options, program);
        }
    }

    private static void assertNamesTheTransport(Throwable thrown) {
        assertThat(thrown)
                .isInstanceOf(ServerUnavailableException.class)
                .hasRootCauseInstanceOf(MissingServiceException.class)
                .hasMessage("no RPC transport for rdma has been there for 1 s (swapTimeout): install feature"
                        + " verbena-rpcrdma, or start bundle io.verbena.rpcrdma.dispatcher");
    }

    /** Requests may use a connection a moment before the state of the mount tells of it. */
    private static void awaitMounted(NfsMount mount) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (mount.state() != MountState.MOUNTED) {
            assertThat(System.nanoTime()).as("mounted in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /** Open once a session is made. */
    private CountDownLatch session() {
        CountDownLatch made = new CountDownLatch(1);
        server.beforeSession = made::countDown;
        return made;
    }

    @Test
    void shouldMountByItselfWhenATransportComesThatWasNotThere() {
        CountDownLatch made = session();
        try (NfsMount mount =
                NfsMount.create("m", "127.0.0.1", "/", "swapTimeout=1", null, new DirectMemory(), RUNTIME)) {
            assertThatThrownBy(() -> mount.connect(BOUND)).satisfies(MissingServiceTest::assertNamesTheTransport);
            assertThat(mount.state()).isEqualTo(MountState.FAILED);
            assertThat(mount.failure()).hasValueSatisfying(MissingServiceTest::assertNamesTheTransport);
            mount.transportCame(server);
            Latches.await(made);
        }
    }

    @Test
    void shouldMountByItselfWhenATransportComesThatIsWaitedFor() throws IOException {
        CountDownLatch made = session();
        try (NfsMount mount = NfsMount.create("m", "127.0.0.1", "/", "", null, new DirectMemory(), RUNTIME)) {
            CompletableFuture<?> waiting = mount.attributesAsync("/file");
            mount.transportCame(server);
            Latches.await(made);
            assertThat(Blocking.await(RUNTIME, waiting, BOUND.toNanos())).isNotNull();
        }
    }

    @Test
    void shouldMountByItselfWhenWhatTheTransportLacksComes() throws Exception {
        CountDownLatch missing = new CountDownLatch(1);
        CountDownLatch made = session();
        try (NfsMount mount =
                NfsMount.create("m", "127.0.0.1", "/", "", new Lacking(server, missing), new DirectMemory(), RUNTIME)) {
            Latches.await(missing);
            Latches.await(made); // though nobody has asked for anything
            mount.connect(BOUND);
            assertThat(mount.state()).isEqualTo(MountState.MOUNTED);
        }
    }

    @Test
    void shouldFailOnAHardMountToo() throws Exception {
        try (NfsMount mount = server.mount("hard,swapTimeout=1");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            mount.transportGone(server);
            assertThatThrownBy(() -> file.write(ByteBuffer.wrap(new byte[] {1}), 0))
                    .satisfies(MissingServiceTest::assertNamesTheTransport);
            // it is known to be missing: who comes now is told so
            assertThatThrownBy(() -> mount.remove("/a")).satisfies(MissingServiceTest::assertNamesTheTransport);
            assertThat(mount.state()).isEqualTo(MountState.RECOVERING);
            int before = server.seen.size();
            mount.transportCame(server);
            assertThatThrownBy(file::sync).satisfies(MissingServiceTest::assertNamesTheTransport); // of that write
            file.write(ByteBuffer.wrap(new byte[] {2}), 0);
            file.sync();
            assertThat(server.content).startsWith(2);
            assertThat(server.opcodesSince(before)).doesNotContain(Opcode.CREATE_SESSION, Opcode.REMOVE);
            awaitMounted(mount);
        }
    }

    @Test
    void shouldBindTheSessionToTheNextTransportsConnectionUnasked() throws Exception {
        server.sessionFlags = CreateSession.CONN_BACK_CHAN;
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            mount.transportGone(server);
            mount.transportCame(server);
            assertThat(server.binds.poll(20, TimeUnit.SECONDS)).isNotNull();
            mount.attributes("/file", true);
            assertThat(server.opcodesSince(before)).doesNotContain(Opcode.CREATE_SESSION, Opcode.EXCHANGE_ID);
        }
    }

    @Test
    void shouldStayOnTheConnectionOfATransportThatCameBeforeTheOtherWent() throws Exception {
        try (NfsMount mount = server.mount("")) {
            Lacking next = new Lacking(server, new CountDownLatch(0));
            mount.transportCame(next);
            mount.transportGone(server);
            mount.attributes("/file", true);
            assertThat(server.connections).hasValue(2);
            mount.transportGone(server); // of which nothing is left
            mount.attributes("/file", true);
            assertThat(server.connections).hasValue(2);
            assertThat(mount.settings()).containsEntry("transportSwaps", "1");
        }
    }

    @Test
    void shouldHaveNobodyWaitForLongerThanAllOthers() throws Exception {
        try (NfsMount mount = server.mount("swapTimeout=1")) {
            mount.transportGone(server);
            CompletableFuture<?> first = mount.attributesAsync("/file");
            CompletableFuture<?> second = mount.attributesAsync("/file");
            for (CompletableFuture<?> each : Set.of(first, second)) {
                assertThatThrownBy(() -> each.get(20, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .satisfies(MissingServiceTest::assertNamesTheTransport);
            }
        }
    }
}
