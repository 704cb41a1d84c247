package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.HeldProgram.Task;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReplyReceiver;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.ConnectionOptions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When closing returns, the memory is given back, whoever else closes and whatever else happens. */
final class ClosingTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport server = TransportPair.transport(TransportLimits.DEFAULT, fabric);
    private final DirectMemory memory = new DirectMemory();
    private final RdmaRpcTransport client = new RdmaRpcTransport(
            new SystemRuntime(),
            TransportLimits.DEFAULT,
            memory,
            fabric,
            List.of(new VersionOneFraming()),
            new PrivateDataNegotiator());
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicLong left = new AtomicLong(-1);
    private RpcConnection connection;

    @BeforeEach
    void connect() throws Exception {
        RpcListener listener = server.listen(TransportPair.listenOptions(16, Map.of()), new HeldProgram().program);
        connection =
                client.connect(TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
    }

    @AfterEach
    void end() {
        goOn.countDown();
        client.close();
        server.close();
        fabric.awaitAllEnded();
    }

    /** Makes a call whose reply the receive thread decodes until the test lets it go on. */
    private void holdReceiveThread(Runnable last) {
        CountDownLatch decoding = new CountDownLatch(1);
        var unused = connection.call(TransportPair.call(EchoProgram.NULL), in -> {
            decoding.countDown();
            SwapFixture.awaitLatch(goOn);
            last.run();
            return "done";
        });
        SwapFixture.awaitLatch(decoding);
    }

    @Test
    @DisplayName("the transport is not closed before a connection that another thread closes")
    void shouldWaitForAConnectionThatAnotherThreadCloses() {
        holdReceiveThread(() -> {});
        Task first = Task.waiting(connection::close);
        Task second = Task.waiting(() -> {
            client.close();
            left.set(memory.leasedBytes());
        });
        goOn.countDown();
        first.assertDone();
        second.assertDone();
        assertThat(left).hasValue(0);
    }

    @Test
    @DisplayName("a thread that is interrupted does not leave the end of a connection to others")
    void shouldNotBeHurriedByAnInterrupt() {
        holdReceiveThread(() -> {});
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Task closing = Task.waiting(() -> {
            Thread.currentThread().interrupt();
            connection.close();
            left.set(memory.leasedBytes());
            interrupted.complete(Thread.interrupted());
        });
        goOn.countDown();
        closing.assertDone();
        assertThat(left).hasValue(0);
        assertThat(interrupted).isCompletedWithValue(true);
    }

    @Test
    @DisplayName("a handler that closes does not wait for the thread that closes and waits for the handler")
    void shouldNotWaitOnTheReceiveThread() {
        holdReceiveThread(connection::close);
        Task closing = Task.waiting(connection::close);
        goOn.countDown();
        closing.assertDone();
    }

    @Test
    @DisplayName("who closes once more as a call fails by that does not wait for himself")
    void shouldNotWaitForItself() throws Exception {
        CompletableFuture<Void> closedAgain = connection
                .call(HeldProgram.message(1), in -> "done")
                .handle((done, thrown) -> {
                    connection.close();
                    return null;
                });
        Task.start(connection::close).assertDone();
        assertThat(closedAgain).isDone();
    }

    @Test
    @DisplayName("a role that comes as the connection has ended gives its memory back")
    void shouldGiveBackTheMemoryOfALateRole() {
        TransportContext context = new TransportContext(new SystemRuntime(), TransportLimits.DEFAULT, memory);
        Connection late = new Connection(
                9, context, fabric, TransportOptions.parse(Map.of()), (ended, cause) -> {}, new Counters());
        late.opened(fabric.open(
                MemoryFabric.address(9), new ConnectionOptions(1, 1, 1, 1, Map.of()), late, Duration.ofSeconds(1)));
        late.close();
        List<String> told = new ArrayList<>();
        late.readyToCall((ReplyReceiver) Proxy.newProxyInstance(
                ReplyReceiver.class.getClassLoader(), new Class<?>[] {ReplyReceiver.class}, (proxy, method, args) -> {
                    told.add(method.getName());
                    return null;
                }));
        assertThat(told).containsExactly("giveMemory");
        context.workers().close();
    }
}
