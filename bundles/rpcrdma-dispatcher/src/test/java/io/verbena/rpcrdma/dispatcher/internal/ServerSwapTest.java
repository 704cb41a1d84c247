package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.assertDone;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.await;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.HeldProgram.Task;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaListener;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Services that go and come below a server whose requests are under way. */
final class ServerSwapTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final HeldProgram held = new HeldProgram();
    private final Framing two = new VersionTwoFraming();
    private final RdmaRpcTransport client = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    private final RdmaRpcTransport server = new RdmaRpcTransport(
            new SystemRuntime(),
            TransportLimits.DEFAULT,
            new DirectMemory(),
            fabric,
            List.of(two, new VersionOneFraming()),
            new PrivateDataNegotiator());
    private RpcListener listener;
    private RpcConnection connection;

    @BeforeEach
    void begin() throws Exception {
        listener = server.listen(TransportPair.listenOptions(16, Map.of()), held.program);
        connection =
                client.connect(TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
        TransportPair.callNull(connection);
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
        fabric.awaitAllEnded();
    }

    private MemoryConnection acceptedEnd() {
        return fabric.open().stream()
                .filter(end -> end.localAddress().equals(listener.localAddress()))
                .findAny()
                .orElseThrow();
    }

    @Test
    @DisplayName("a framing goes: running requests are answered, later ones are not executed but sent again")
    void shouldAnswerWhatRunsAndTakeNothingMore() throws Exception {
        CompletableFuture<String> first = call(connection, 1);
        Runnable answer = held.next();
        Task leaving = Task.waiting(() -> server.unbindFraming(two));
        CompletableFuture<String> second = call(connection, 2);
        await(() -> TransportPair.count(server, Counter.DROPPED.label()) == 1);
        assertThat(held.isQuiet()).isTrue();
        answer.run();
        leaving.assertDone();
        assertDone(first);
        held.next().run();
        assertDone(second);
        assertThat(connection.settings()).containsEntry("version", "1");
        assertThat(TransportPair.count(client, Counter.RETRANSMISSIONS.label())).isPositive();
        held.assertOnce(1, 2);
    }

    @Test
    @DisplayName("an answer is out before its connection ends")
    void shouldWaitUntilTheAnswerIsOut() throws Exception {
        CompletableFuture<String> call = call(connection, 1);
        Runnable answer = held.next();
        MemoryConnection accepted = acceptedEnd();
        accepted.hold(true);
        answer.run(); // with a Write chunk's worth of results; what tells that it is out is held back
        Task leaving = Task.waiting(() -> server.unbindProvider(fabric));
        assertThat(accepted.isConnected()).isTrue();
        accepted.hold(false);
        leaving.assertDone();
        assertDone(call);
        assertThat(fabric.open()).noneMatch(end -> end.isConnected());
        held.assertOnce(1);
    }

    @Test
    @DisplayName("a provider goes and comes: the same address, each call once")
    void shouldListenAgainAtTheSameAddress() throws Exception {
        InetSocketAddress address = listener.localAddress();
        CompletableFuture<String> first = call(connection, 1);
        Runnable answer = held.next();
        Task leaving = Task.waiting(() -> server.unbindProvider(fabric));
        fabric.awaitListeners(0);
        answer.run();
        leaving.assertDone();
        assertDone(first);
        CompletableFuture<String> second = call(connection, 2);
        server.bindProvider(fabric);
        held.next().run();
        assertDone(second);
        assertThat(listener.localAddress()).isEqualTo(address);
        held.assertOnce(1, 2);
    }

    @Test
    @DisplayName("an address that is taken meanwhile is had as soon as it is free")
    void shouldTryAgainToListen() throws Exception {
        server.unbindProvider(fabric);
        RdmaListener other = fabric.listen(listener.localAddress(), Map.of(), request -> request.reject(new byte[0]));
        server.bindProvider(fabric);
        CompletableFuture<String> call = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
        other.close();
        fabric.awaitListeners(1);
        assertDone(call);
    }

    @Test
    @DisplayName("a listener that is closed answers what it has taken")
    void shouldAnswerWhatRunsBeforeItCloses() throws Exception {
        CompletableFuture<String> call = call(connection, 1);
        Runnable answer = held.next();
        Task closing = Task.waiting(listener::close);
        answer.run();
        assertDone(call);
        closing.assertDone();
        held.assertOnce(1);
    }

    @Test
    @DisplayName("a connection that goes by itself is waited for no longer")
    void shouldNotWaitForAPeerThatHasGone() throws Exception {
        CompletableFuture<String> call = call(connection, 1);
        Runnable answer = held.next();
        Task leaving = Task.waiting(() -> server.unbindFraming(two));
        connection.close();
        leaving.assertDone();
        assertThat(call).isCompletedExceptionally();
        answer.run(); // to nobody
    }

    @Test
    @DisplayName("every framing of a server goes: its clients are refused, not left without an answer, until one comes")
    void shouldRefuseWhileThereIsNoVersion() throws Exception {
        Framing one = new VersionOneFraming();
        Framing last = new VersionTwoFraming();
        RdmaRpcTransport passing = new RdmaRpcTransport(
                new SystemRuntime(),
                TransportLimits.DEFAULT,
                new DirectMemory(),
                fabric,
                List.of(one),
                new PrivateDataNegotiator());
        try (passing) {
            RpcListener other = passing.listen(TransportPair.listenOptions(16, Map.of()), held.program);
            RpcConnection client = this.client.connect(
                    TransportPair.options(other.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            CompletableFuture<String> first = call(client, 1);
            Runnable answer = held.next();
            Task leaving = Task.waiting(() -> passing.unbindFraming(one));
            answer.run();
            leaving.assertDone();
            assertDone(first);
            CompletableFuture<String> second = call(client, 2);
            passing.bindFraming(last);
            held.next().run();
            assertDone(second);
            held.assertOnce(1, 2);
            client.close();
        }
    }
}
