package io.verbena.nfs41.client.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.OneWorker;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.Worker;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RpcLinkTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final long LONG_NANOS = TimeUnit.DAYS.toNanos(1);

    private RpcLink link;
    private RpcConnection made;

    /** Unmounts while it connects. */
    private final class Transport implements RpcTransport {
        private final FakeServer server;

        Transport(FakeServer server) {
            this.server = server;
        }

        @Override
        public RpcConnection connect(ConnectOptions options) {
            assertThat(link.close(LONG_NANOS)).isTrue();
            made = server.connect(options);
            return made;
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            return server.listen(options, program);
        }
    }

    @Test
    void shouldCloseAConnectionThatComesAfterTheUnmount() {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        try (FakeServer server = new FakeServer()) {
            TransportSource source = new TransportSource(new Transport(server), RUNTIME);
            link = linkBy(settings, source, worker(Runnable::run));
            assertThatThrownBy(link::connect)
                    .isInstanceOf(TransportLostException.class)
                    .hasMessageContaining("unmounted");
            assertThat(made.isOpen()).isFalse();
            assertThat(link.current()).isNull();
        }
    }

    /** The swap of the transport closes what it was connecting. */
    @Test
    void shouldConnectByTheNextTransportWhereOneIsStoppedMeanwhile() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        try (FakeServer server = new FakeServer()) {
            TransportSource source = new TransportSource(null, RUNTIME);
            RpcTransport stopped = new RpcTransport() {
                @Override
                public RpcConnection connect(ConnectOptions options) throws IOException {
                    source.unset(this);
                    source.set(server);
                    throw new TransportLostException("closed while connecting", null);
                }

                @Override
                public RpcListener listen(ListenOptions options, RpcProgram program) {
                    return server.listen(options, program);
                }
            };
            source.set(stopped);
            link = linkBy(settings, source, worker(Runnable::run));

            link.reconnect(Duration.ofSeconds(30));

            assertThat(link.current().transport()).isSameAs(server);
            assertThat(link.close(LONG_NANOS)).isTrue();
        }
    }

    /** The next transport is stopped in turn, and so on: who is patient for a while only comes to decide. */
    @ParameterizedTest
    @CsvSource({"0, timeo=1", "200, 'timeo=20,swapTimeout=1'"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNotConnectByOneStoppedTransportAfterAnotherForEver(int gapMillis, String options) {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(options));
        Executor next =
                gapMillis == 0 ? Runnable::run : CompletableFuture.delayedExecutor(gapMillis, TimeUnit.MILLISECONDS);
        TransportSource source = new TransportSource(null, RUNTIME);
        final class Stopped implements RpcTransport {
            @Override
            public RpcConnection connect(ConnectOptions options) throws IOException {
                source.unset(this);
                next.execute(() -> source.set(new Stopped()));
                throw new TransportLostException("closed while connecting", null);
            }

            @Override
            public RpcListener listen(ListenOptions options, RpcProgram program) {
                throw new IllegalStateException("no test listens");
            }
        }
        source.set(new Stopped());
        link = linkBy(settings, source, worker(Runnable::run));
        assertThatThrownBy(link::connect)
                .isInstanceOf(TransportLostException.class)
                .hasMessage("the transport was replaced again and again while it connected to 127.0.0.1");
        assertThat(link.timesLeft()).isEqualTo(1);
        assertThat(link.close(LONG_NANOS)).isTrue();
    }

    private static RpcLink linkBy(RpcTransport transport, Worker worker) {
        return linkBy(
                MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse("")),
                new TransportSource(transport, RUNTIME),
                worker);
    }

    private static RpcLink linkBy(MountSettings settings, TransportSource source, Worker worker) {
        return new RpcLink(settings, source, ConnectionObserver.NONE, worker, new SwapRecorder("m", RUNTIME), RUNTIME);
    }

    @Test
    void shouldKnowWhatAConnectionHadLearnedThatIsAbandonedAfterATimeOut() throws IOException {
        try (FakeServer server = new FakeServer()) {
            link = linkBy(server, worker(Runnable::run));
            server.learned = Map.of("learned", "fake");
            link.failed(link.connect(), new CallTimedOutException("no reply", true));
            assertThat(link.current()).isNull();
            assertThat(link.known()).containsExactly(Map.entry("learned", "fake"));
            assertThat(link.close(LONG_NANOS)).isTrue();
        }
    }

    /** As {@link io.verbena.nfs.Mount#reconnect} says: only the end of the time fails it, no single attempt. */
    @Test
    void shouldReconnectByAsManyAttemptsAsItTakes() throws IOException {
        OneWorker worker = new OneWorker();
        try (FakeServer server = new FakeServer()) {
            AtomicInteger attempts = new AtomicInteger();
            RpcTransport disturbed = new RpcTransport() {
                @Override
                public RpcConnection connect(ConnectOptions options) throws IOException {
                    if (attempts.incrementAndGet() < 3) {
                        throw new TransportLostException("the connection ended before the peer was ready", null);
                    }
                    return server.connect(options);
                }

                @Override
                public RpcListener listen(ListenOptions options, RpcProgram program) {
                    return server.listen(options, program);
                }
            };
            link = linkBy(disturbed, worker);

            link.reconnect(Duration.ofSeconds(60));

            assertThat(attempts).hasValue(3);
            assertThat(link.current()).isNotNull();
            assertThat(link.close(LONG_NANOS)).isTrue();
        } finally {
            worker.close();
        }
    }

    /** The message of the last attempt says more than that the time is over. */
    @Test
    void shouldTellWhyTheLastAttemptFailedWhereTheTimeIsOver() {
        RpcTransport refused = new RpcTransport() {
            @Override
            public RpcConnection connect(ConnectOptions options) throws IOException {
                throw new TransportLostException("connection refused", null);
            }

            @Override
            public RpcListener listen(ListenOptions options, RpcProgram program) {
                throw new IllegalStateException("no test listens");
            }
        };
        OneWorker worker = new OneWorker();
        try {
            link = linkBy(refused, worker);
            assertThatThrownBy(() -> link.reconnect(Duration.ofMillis(300)))
                    .isInstanceOf(TransportLostException.class)
                    .hasMessage("connection refused");
            assertThat(link.close(LONG_NANOS)).isTrue();
        } finally {
            worker.close();
        }
    }

    @Test
    void shouldStayWithTheProviderOfItsFirstConnection() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse("provider=auto,nocrc"));
        try (FakeServer server = new FakeServer()) {
            link = new RpcLink(
                    settings,
                    new TransportSource(server, RUNTIME),
                    ConnectionObserver.NONE,
                    worker(Runnable::run),
                    new SwapRecorder("m", RUNTIME),
                    RUNTIME);
            assertThat(link.provider()).isEmpty();
            link.connect();
            assertThat(server.connectedWith.transport())
                    .containsExactlyInAnyOrderEntriesOf(Map.of("label", "m", "provider", "auto", "crc", "off"));
            link.leave(server, 1); // as where the transport is replaced
            link.connect();
            assertThat(server.connectedWith.transport())
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("label", "m", "provider", "fake", "chosen", "fake0", "crc", "off"));
            assertThat(link.provider())
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("provider", "fake", "providerChoice", "auto: fake0 has a route"));
            assertThat(link.close(LONG_NANOS)).isTrue();
        }
    }

    @Test
    void shouldCloseWhatItAbandonedWhereTheWorkerDoesNotComeToIt() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        try (FakeServer server = new FakeServer()) {
            link = new RpcLink(
                    settings,
                    new TransportSource(server, RUNTIME),
                    ConnectionObserver.NONE,
                    worker(task -> {}),
                    new SwapRecorder("m", RUNTIME),
                    RUNTIME);
            LinkConnection silent = link.connect();
            link.failed(silent, new CallTimedOutException("no answer", true));
            assertThat(silent.isOpen()).isTrue();
            assertThat(link.close(LONG_NANOS)).isTrue();
            assertThat(silent.isOpen()).isFalse();
        }
    }

    @Test
    void shouldCloseWhatItAbandonedWhereTheWorkerHasNoThread() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        try (FakeServer server = new FakeServer()) {
            link = new RpcLink(
                    settings,
                    new TransportSource(server, RUNTIME),
                    ConnectionObserver.NONE,
                    worker(RpcLinkTest::throwing),
                    new SwapRecorder("m", RUNTIME),
                    RUNTIME);
            LinkConnection silent = link.connect();
            link.failed(silent, new CallTimedOutException("no answer", true));
            assertThat(silent.isOpen()).isFalse();
            assertThat(link.close(LONG_NANOS)).isTrue();
        }
    }

    @Test
    void shouldTellThatTheWorkerHasNoThread() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        try (FakeServer server = new FakeServer()) {
            link = new RpcLink(
                    settings,
                    new TransportSource(server, RUNTIME),
                    ConnectionObserver.NONE,
                    worker(RpcLinkTest::throwing),
                    new SwapRecorder("m", RUNTIME),
                    RUNTIME);
            assertThat(link.connected()).isCompletedExceptionally();
            link.failed(
                    link.connect(), new CallTimedOutException("no answer", true)); // there is a pause before the next
            assertThat(link.connected())
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("no thread");
            assertThat(link.close(LONG_NANOS)).isTrue();
        }
    }

    /** A worker without threads: hands each task to the executor at once, also one that has to wait for its time. */
    private static Worker worker(Executor executor) {
        return new Worker() {
            @Override
            public void execute(Runnable task) {
                executor.execute(task);
            }

            @Override
            public Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
                executor.execute(task);
                return null;
            }
        };
    }

    private static void throwing(Runnable task) {
        throw new OutOfMemoryError("no thread");
    }

    @Test
    void shouldTellThatAClassIsMissing() {
        RpcTransport incomplete = new RpcTransport() {
            @Override
            public RpcConnection connect(ConnectOptions options) {
                throw new NoClassDefFoundError("org/example/Missing");
            }

            @Override
            public RpcListener listen(ListenOptions options, RpcProgram program) {
                throw new AssertionError("nobody listens");
            }
        };
        try (NfsMount mount = new NfsMount("m", "127.0.0.1", "/", "", incomplete, new DirectMemory(), RUNTIME)) {
            assertThatThrownBy(() -> mount.connect(Duration.ofMinutes(1)))
                    .hasStackTraceContaining("NoClassDefFoundError: org/example/Missing");
        }
    }
}
