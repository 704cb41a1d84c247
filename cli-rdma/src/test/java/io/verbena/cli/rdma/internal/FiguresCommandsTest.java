package io.verbena.cli.rdma.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.metrics.DurationRecorder;
import io.verbena.rpc.CallShape;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransferSizes;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.xdr.XdrReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.json.Json;
import javax.json.JsonObject;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the commands that show figures of connections, and ping. */
@Timeout(60)
class FiguresCommandsTest {
    private final RdmaServices services = new RdmaServices();
    private final AtomicLong calls = new AtomicLong();
    private Shell shell;

    @BeforeEach
    void start() throws Exception {
        shell = new Shell(RdmaServices.class, services);
        services.addMonitor(() -> List.of(status(7), status(8)));
    }

    @AfterEach
    void stop() {
        shell.close();
    }

    private ConnectionStatus status(long id) {
        DurationRecorder roundTrip = new DurationRecorder();
        roundTrip.record(120_000);
        return new ConnectionStatus(
                id,
                "client",
                "connected",
                "a",
                "server:20049",
                Map.of("label", "docs", "version", "2"),
                Map.of("calls", calls.addAndGet(10), "registrations", 2L, "readChunkBytes", 1L << 20),
                Map.of("creditsGranted", 32L, "creditsInUse", 32L, "callsWaiting", 5L, "registrations", 2L),
                Map.of("roundTrip", roundTrip.snapshot()));
    }

    private static AbstractThrowableAssert<?, ?> assertStatus(
            AbstractThrowableAssert<?, ?> failure, ExitStatus status) {
        return failure.isInstanceOfSatisfying(
                CommandFailure.class, known -> assertThat(known.status()).isEqualTo(status));
    }

    @Test
    void shouldShowFigures() throws Exception {
        assertThat(shell.run("rdma:stats"))
                .contains("docs", "server:20049", "32/32 +5", "1048576", "120")
                .contains("Credits", "Registrations", "Read chunks", "p99.9");
        assertThat(shell.run("rdma:stats --no-header 8")).startsWith("8  client");
        assertStatus(assertThatThrownBy(() -> shell.run("rdma:stats 9")), ExitStatus.NOT_FOUND)
                .hasMessage("no connection 9: there is [7, 8]");
        assertStatus(assertThatThrownBy(() -> shell.run("rdma:stats x")), ExitStatus.USAGE);
    }

    @Test
    void shouldShowWhatHasComeInEachInterval() throws Exception {
        String[] looks = shell.run("rdma:stats --json 7 0.01 2").split("\n");

        assertThat(looks).hasSize(2);
        JsonObject second =
                Json.createReader(new StringReader(looks[1])).readArray().getJsonObject(0);
        assertThat(second.getJsonObject("counters").getInt("calls")).isEqualTo(20); // the total of two connections
        assertThat(second.getJsonObject("counters").getInt("registrations")).isEqualTo(2); // a gauge
        assertThat(second.getJsonObject("gauges").getInt("callsWaiting")).isEqualTo(5);
        assertThat(second.getJsonObject("durations").getJsonObject("roundTrip").getInt("count"))
                .isZero();
    }

    @Test
    void shouldPing() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        services.setTransport(new FakeTransport(closed, call -> CompletableFuture.completedFuture(null)));

        assertThat(shell.run("rdma:ping -c 3 -i 0 server"))
                .contains("PING server:20049 by iwarp", "reply 3: time=", "--- server:20049 ping statistics ---")
                .contains("3 calls, 3 replies, 0.0% lost, version 1", "round trip mean ", "p99.9");
        assertThat(closed).hasValue(1);
        JsonObject object = Json.createReader(new StringReader(shell.run("rdma:ping --json -c 3 -i 0 '[::1]:2049'")))
                .readObject();
        assertThat(object.getInt("replies")).isEqualTo(3);
        assertThat(object.getString("server")).isEqualTo("[::1]:2049");
        assertThat(object.getJsonObject("roundTrip").getInt("count")).isEqualTo(3);
    }

    @Test
    void shouldFailWhereNoReplyComes() {
        assertStatus(assertThatThrownBy(() -> shell.run("rdma:ping server")), ExitStatus.NO_CONNECTION)
                .hasMessageContaining("no transport");
        services.setTransport(new FakeTransport(
                new AtomicInteger(),
                call -> CompletableFuture.failedFuture(new TransportLostException("it went away", null))));
        assertStatus(assertThatThrownBy(() -> shell.run("rdma:ping -q -c 2 -i 0 server")), ExitStatus.NO_CONNECTION)
                .hasMessage("no reply from server:20049: it went away");
        for (String bad : new String[] {"a:b", ":1", "server:0", "-c x server", "-i 99999999 server"}) {
            assertStatus(assertThatThrownBy(() -> shell.run("rdma:ping " + bad)).as(bad), ExitStatus.USAGE);
        }
    }

    @Test
    void shouldSumUpWhenInterrupted() throws Exception {
        CompletableFuture<Thread> called = new CompletableFuture<>();
        services.setTransport(new FakeTransport(new AtomicInteger(), call -> {
            called.complete(Thread.currentThread());
            return CompletableFuture.completedFuture(null);
        }));
        CompletableFuture<String> printed = CompletableFuture.supplyAsync(() -> {
            try {
                return shell.run("rdma:ping -c 0 -i 60 server");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        Thread command = called.get(20, TimeUnit.SECONDS);
        while (command.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait(); // until the command pauses; the test's time-out bounds this
        }
        command.interrupt();

        assertThat(printed.get(20, TimeUnit.SECONDS)).contains("1 calls, 1 replies", "round trip");
    }

    private interface Answer {
        CompletableFuture<XdrReader> to(RpcCall call);
    }

    private record FakeTransport(AtomicInteger closed, Answer answer) implements RpcTransport {
        @Override
        public RpcConnection connect(ConnectOptions options) {
            return new FakeConnection(closed, answer);
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) throws IOException {
            throw new IOException("nobody listens at " + new InetSocketAddress(0));
        }
    }

    private record FakeConnection(AtomicInteger closed, Answer answer) implements RpcConnection {
        @Override
        public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
            return answer.to(call).thenApply(reader -> {
                try {
                    return decoder.decode(reader);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        @Override
        public Map<String, String> settings() {
            return Map.of("provider", "iwarp", "providerChoice", "asked for", "version", "1");
        }

        @Override
        public Optional<TransferSizes> explain(CallShape shape) {
            return Optional.empty();
        }

        @Override
        public Map<String, String> choice() {
            return Map.of();
        }

        @Override
        public void reconnect(Duration timeout) {
            closed.decrementAndGet();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }
}
