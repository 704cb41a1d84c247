package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.HeldProgram.Task;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReplyReceiver;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.RpcClient;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaProvider;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When closing returns, the memory is given back, whoever else closes and whatever else happens. */
final class ClosingTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final HeldProgram held = new HeldProgram();
    private final Framing one = new VersionOneFraming();
    private final RdmaRpcTransport server = TransportPair.transport(TransportLimits.DEFAULT, fabric);
    private final DirectMemory memory = new DirectMemory();
    private final RdmaRpcTransport client = new RdmaRpcTransport(
            new SystemRuntime(), TransportLimits.DEFAULT, memory, fabric, List.of(one), new PrivateDataNegotiator());
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicLong left = new AtomicLong(-1);
    private RpcListener listener;
    private RpcConnection connection;

    @BeforeEach
    void connect() throws Exception {
        listener = server.listen(TransportPair.listenOptions(16, Map.of()), held.program);
        connection = connect(ConnectionObserver.NONE);
    }

    private RpcConnection connect(ConnectionObserver observer) throws IOException {
        return client.connect(TransportPair.options(listener.localAddress(), 8, observer, Map.of()));
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

    /** Has the next thread to which something happens wait until the test lets it go on. */
    private CountDownLatch hold(Consumer<Runnable> next) {
        CountDownLatch reached = new CountDownLatch(1);
        next.accept(() -> {
            reached.countDown();
            SwapFixture.awaitLatch(goOn);
        });
        return reached;
    }

    private static Task interrupted(Runnable closing) {
        return Task.waiting(() -> {
            Thread.currentThread().interrupt();
            closing.run();
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    private void replaceConnection() {
        ((RpcClient) connection).replace(present -> true, "by the test");
    }

    /** Ends what is listened at, in one way or another. */
    private void endListening(String how) {
        switch (how) {
            case "listener" -> listener.close();
            case "provider" -> server.unbindProvider(fabric);
            default -> server.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"listener, transport", "listener, listener", "listener, provider", "provider, listener"})
    @DisplayName("whoever ends a listener waits for another thread that ends it already")
    void shouldWaitForAListenerThatAnotherThreadCloses(String first, String second) {
        connection.close();
        CountDownLatch reached = hold(fabric::duringListenerClose);
        Task closing = Task.start(() -> endListening(first));
        SwapFixture.awaitLatch(reached);
        Task closingToo = Task.waiting(() -> endListening(second));
        goOn.countDown();
        closing.assertDone();
        closingToo.assertDone();
    }

    @Test
    @DisplayName("an interrupt does not keep a listener from answering what it has taken")
    void shouldNotBeHurriedByAnInterruptWhileCallsAreAnswered() throws Exception {
        TransportPair.callNull(connection);
        CompletableFuture<String> call = HeldProgram.call(connection, 1);
        Runnable answer = held.next();
        Task closing = interrupted(listener::close);
        answer.run();
        closing.assertDone();
        HeldProgram.assertDone(call);
        held.assertOnce(1);
    }

    @Test
    @DisplayName("an interrupt ends neither the drain of a connection nor the wait for another thread that drains it")
    void shouldNotBeHurriedByAnInterruptWhileAConnectionIsReplaced() throws Exception {
        TransportPair.callNull(connection);
        CompletableFuture<String> call = HeldProgram.call(connection, 1);
        Runnable answer = held.next();
        Task first = interrupted(this::replaceConnection);
        Task second = interrupted(this::replaceConnection);
        answer.run();
        first.assertDone();
        second.assertDone();
        HeldProgram.assertDone(call);
        held.assertOnce(1);
    }

    @Test
    @DisplayName("who removes a service waits for a thread that connects by it, interrupted or not")
    void shouldWaitForAnAttemptByAServiceThatGoes() {
        connection.close();
        CountDownLatch reached = hold(fabric::duringConnect);
        Task connecting = Task.start(() -> connect(ConnectionObserver.NONE));
        SwapFixture.awaitLatch(reached);
        Task leaving = interrupted(() -> client.unbindFraming(one));
        goOn.countDown();
        leaving.assertDone();
        client.bindFraming(new VersionOneFraming());
        connecting.assertDone();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("the transport is not closed before a connection that another thread makes")
    void shouldWaitForAThreadThatConnects(boolean tellsCloser) {
        connection.close();
        if (tellsCloser) {
            client.unbindProvider(fabric);
            client.bindProvider(tellingCloser());
        }
        CountDownLatch reached = hold(fabric::duringConnect);
        Task connecting = Task.start(() -> connect(ConnectionObserver.NONE));
        SwapFixture.awaitLatch(reached);
        Task closing = Task.waiting(() -> {
            client.close();
            left.set(memory.leasedBytes());
        });
        goOn.countDown();
        closing.assertDone();
        assertThat(left).hasValue(0);
        assertThat(connecting.done()).failsWithin(Duration.ofSeconds(10));
    }

    /** Tells of the end of a connection on the thread that closes it, as iWARP does where it never stood. */
    private RdmaProvider tellingCloser() {
        return proxy(RdmaProvider.class, (method, args) -> {
            if (!method.getName().equals("open")) {
                return method.invoke(fabric, args);
            }
            ConnectionHandler handler = (ConnectionHandler) args[2];
            args[2] = proxy(ConnectionHandler.class, (told, how) -> null);
            Object end = method.invoke(fabric, args);
            AtomicBoolean isTold = new AtomicBoolean();
            return proxy(RdmaConnection.class, (called, with) -> {
                Object result = called.invoke(end, with);
                if (called.getName().equals("close") && isTold.compareAndSet(false, true)) {
                    handler.onDisconnected(null);
                }
                return result;
            });
        });
    }

    private interface Handling {
        Object invoke(Method method, Object[] args) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Handling handling) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            try {
                return method.getName().equals("equals") ? proxy == args[0] : handling.invoke(method, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    @Test
    @DisplayName(
            "who closes on the thread that connects does not wait for the one who closes and waits for that thread")
    void shouldNotWaitOnTheThreadThatConnects() throws Exception {
        CompletableFuture<RpcConnection> self = new CompletableFuture<>();
        CompletableFuture<Task> closing = new CompletableFuture<>();
        CompletableFuture<Boolean> isOver = new CompletableFuture<>();
        CountDownLatch reached = new CountDownLatch(1);
        self.complete(connect(new ConnectionObserver() {
            @Override
            public void reconnected(int attempt) {
                reached.countDown();
                Task other = closing.join();
                self.join().close();
                isOver.complete(other.done().isDone());
            }
        }));
        fabric.breakAll();
        var unused = self.join().call(TransportPair.call(EchoProgram.NULL), in -> "done");
        SwapFixture.awaitLatch(reached);
        Task other = Task.waiting(() -> self.join().close());
        closing.complete(other);
        assertThat(isOver).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(false);
        other.assertDone();
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
        late.readyToCall(proxy(ReplyReceiver.class, (method, args) -> {
            told.add(method.getName());
            return null;
        }));
        assertThat(told).containsExactly("giveMemory");
        context.workers().close();
    }
}
