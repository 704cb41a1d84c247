package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.assertDone;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.await;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.HeldProgram.Task;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapSettings;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Services that go and come below a client whose calls are under way. */
final class SwapTest extends SwapFixture {
    @Test
    @DisplayName("Version Two goes: its calls are answered, the next ones go by Version One, and back on request")
    void shouldGoToTheOtherVersionAndBack() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> first = underWay(connection, 1);
        Runnable answer = held.next();
        Task leaving = Task.waiting(() -> client.unbindFraming(two));
        CompletableFuture<String> second = call(connection, 2);
        answer.run();
        assertDone(first);
        leaving.assertDone();
        held.next().run();
        assertDone(second);
        assertVersion(connection, 1);
        assertThat(connection.settings())
                .containsEntry("swaps", "1")
                .containsEntry("replayed", "0")
                .hasEntrySatisfying("lastSwap", swap -> assertThat(swap)
                        .startsWith("framing of Version 2 went; drained for ")
                        .endsWith(" ms, 0 calls sent again, Version 2 before, begins with 1"));

        client.bindFraming(new VersionTwoFraming());
        CompletableFuture<String> third = call(connection, 3);
        Runnable next = held.next();
        assertVersion(connection, 1);
        Task asking = Task.waiting(() -> connection.reconnect(LONG));
        next.run();
        assertDone(third);
        asking.assertDone();
        assertVersion(connection, 2);
        assertThat(connection.settings()).containsEntry("swaps", "2").hasEntrySatisfying("lastSwap", swap -> assertThat(
                        swap)
                .startsWith("asked for")
                .endsWith("Version 1 before, begins with 2"));
        assertThat(TransportPair.count(client, Counter.RETRANSMISSIONS.label())).isZero();
        held.assertOnce(1, 2, 3);
    }

    @Test
    @DisplayName("what is not answered within the bound is sent again")
    void shouldSendAgainWhatIsLeft() throws Exception {
        client.configure(new SwapSettings(Duration.ofMillis(20), false));
        RpcConnection connection = connect();
        CompletableFuture<String> call = underWay(connection, 1);
        Runnable tooLate = held.next();
        client.unbindFraming(two);
        held.next().run();
        assertDone(call);
        assertVersion(connection, 1);
        assertThat(connection.settings()).containsEntry("replayed", "1");
        held.assertOnce(1); // of the first, nothing but the answer is left to do
        tooLate.run(); // to nobody
    }

    @Test
    @DisplayName("a provider goes and comes: calls wait, and each is executed once")
    void shouldWaitForTheProvider() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> first = underWay(connection, 1);
        Runnable answer = held.next();
        Task leaving = Task.waiting(() -> client.unbindProvider(fabric));
        answer.run();
        leaving.assertDone();
        assertDone(first);
        assertThat(fabric.open()).noneMatch(end -> end.isConnected());
        CompletableFuture<String> second = call(connection, 2);
        assertThat(connection.settings()).containsEntry("swaps", "0"); // not over yet
        client.bindProvider(fabric);
        held.next().run();
        assertDone(second);
        assertThat(connection.settings()).containsEntry("swaps", "1").hasEntrySatisfying("lastSwap", swap -> assertThat(
                        swap)
                .startsWith("provider iwarp went; ")
                .doesNotContain("Version"));
        held.assertOnce(1, 2);
    }

    @Test
    @DisplayName("the next connection is made though no call asks for it")
    void shouldConnectAtOnceWithoutCalls() throws Exception {
        RpcConnection connection = connect();
        TransportPair.callNull(connection);
        client.unbindFraming(two);
        await(() -> connection.settings().get("swaps").equals("1"));
        assertVersion(connection, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @DisplayName("the connections of one transport are drained side by side")
    void shouldDrainSideBySide(int answered) throws Exception {
        List<RpcConnection> connections = List.of(connect(), connect());
        List<CompletableFuture<String>> calls = new ArrayList<>();
        List<Runnable> answers = new ArrayList<>();
        for (RpcConnection connection : connections) {
            calls.add(underWay(connection, calls.size()));
            answers.add(held.next());
        }
        Task leaving = Task.waiting(() -> client.unbindFraming(two));
        answers.get(answered).run();
        assertDone(calls.get(answered));
        await(() -> connections.get(answered).settings().get("swaps").equals("1"));
        assertThat(leaving.done()).isNotDone();
        answers.get(1 - answered).run();
        leaving.assertDone();
        assertDone(calls.get(1 - answered));
        held.assertOnce(0, 1);
    }

    @Test
    @DisplayName("a framing goes while a connection is made with it: its unbind returns when that has let go")
    void shouldBreakOffTheConnectionThatIsBeingMade() throws Exception {
        RpcConnection connection = connect();
        TransportPair.callNull(connection);
        CountDownLatch connecting = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        fabric.duringConnect(() -> {
            connecting.countDown();
            awaitLatch(goOn);
        });
        client.unbindFraming(two);
        CompletableFuture<String> call = call(connection, 1);
        awaitLatch(connecting);
        Task leaving = Task.waiting(() -> client.unbindFraming(one));
        goOn.countDown();
        leaving.assertDone();
        assertThat(fabric.open()).noneMatch(end -> end.isConnected());
        client.bindFraming(new VersionOneFraming());
        held.next().run();
        assertDone(call);
        held.assertOnce(1);
    }

    @Test
    @DisplayName("both framings go at once, and one comes back at once")
    void shouldGoOnWhenBothFramingsGo() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> first = underWay(connection, 1);
        Runnable answer = held.next();
        Task higher = Task.waiting(() -> client.unbindFraming(two));
        client.unbindFraming(one); // which nothing uses
        client.bindFraming(new VersionTwoFraming());
        CompletableFuture<String> second = call(connection, 2);
        answer.run();
        higher.assertDone();
        assertDone(first);
        held.next().run();
        assertDone(second);
        assertVersion(connection, 2);
        held.assertOnce(1, 2);
    }

    @Test
    @DisplayName("the provider goes while a framing's connection is drained: both wait for the same")
    void shouldShareASwapUnderWay() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> first = underWay(connection, 1);
        Runnable answer = held.next();
        Task framing = Task.waiting(() -> client.unbindFraming(two));
        Task provider = Task.waiting(() -> client.unbindProvider(fabric));
        assertThat(framing.done()).isNotDone();
        answer.run();
        framing.assertDone();
        provider.assertDone();
        assertDone(first);
        CompletableFuture<String> second = call(connection, 2);
        client.bindProvider(fabric);
        held.next().run();
        assertDone(second);
        assertThat(connection.settings()).containsEntry("swaps", "1");
        assertVersion(connection, 1);
        held.assertOnce(1, 2);
    }

    @Test
    @DisplayName("a connection that is closed while it is drained holds up nobody")
    void shouldEndTheDrainWhenClosed() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> call = underWay(connection, 1);
        held.next();
        Task leaving = Task.waiting(() -> client.unbindFraming(two));
        connection.close();
        assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(TransportLostException.class);
        leaving.assertDone();
        assertThat(client.connections()).isEmpty();
    }

    @Test
    @DisplayName("a connection that is lost while it is drained is made again")
    void shouldEndTheDrainWhenLost() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> call = underWay(connection, 1);
        held.next();
        Task leaving = Task.waiting(() -> client.unbindFraming(two));
        fabric.breakAll();
        leaving.assertDone();
        held.next().run();
        assertDone(call);
        assertVersion(connection, 1);
        assertThat(connection.settings()).containsEntry("swaps", "1").containsEntry("replayed", "1");
    }

    @Test
    @DisplayName("the transport's bundle stops: what is under way is answered, what waits fails unsent")
    void shouldFinishWhatIsUnderWayBeforeItStops() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> first = underWay(connection, 1);
        Runnable answer = held.next();
        Task leaving = Task.waiting(client::deactivate);
        CompletableFuture<String> second = call(connection, 2);
        answer.run();
        assertDone(first);
        leaving.assertDone();
        assertThatThrownBy(() -> second.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(TransportLostException.class);
        assertThat(held.isQuiet()).isTrue();
        held.assertOnce(1);
    }

    @Test
    @DisplayName("a client that is closed in the moment in which its next connection is opened leaves nothing")
    void shouldLeaveNothingWhenClosedWhileConnecting() throws Exception {
        RpcConnection connection = connect();
        TransportPair.callNull(connection);
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch opened = new CountDownLatch(1);
        MemoryPass slow = new MemoryPass(fabric, () -> {
            opening.countDown();
            awaitLatch(goOn);
            opened.countDown();
        });
        client.unbindProvider(fabric);
        client.bindProvider(slow);
        awaitLatch(opening);
        Task closing = Task.waiting(connection::close);
        goOn.countDown();
        awaitLatch(opened); // the end of the transport interrupts whoever still waits
        closing.assertDone();
        assertThat(fabric.open()).noneMatch(end -> end.isConnected());
    }

    @Test
    @DisplayName(
            "a version goes that a connection was begun with, but does not speak: its calls are under way, and go on")
    void shouldNotBreakOffAConnectionThatHasTakenAnotherVersion() throws Exception {
        HeldProgram theirs = new HeldProgram();
        CountDownLatch adopted = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RdmaRpcTransport lower = TransportPair.transport(TransportLimits.DEFAULT, fabric)) {
            RpcListener other = lower.listen(TransportPair.listenOptions(16, Map.of()), theirs.program);
            RpcConnection connection =
                    client.connect(TransportPair.options(other.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            TransportPair.callNull(connection);
            client.bindSwapListener(
                    swap -> { // on the thread that has connected
                        adopted.countDown();
                        awaitLatch(goOn);
                    });
            connection.reconnect(LONG);
            awaitLatch(adopted);
            CompletableFuture<String> call = call(connection, 1);
            Runnable answer = theirs.next();
            assertVersion(connection, 1);
            Task leaving = Task.waiting(() -> client.unbindFraming(two));
            goOn.countDown();
            leaving.assertDone();
            answer.run();
            assertDone(call);
            assertThat(theirs.isQuiet()).isTrue();
            theirs.assertOnce(1);
            assertThat(connection.settings()).containsEntry("swaps", "1");
            connection.close();
        }
    }
}
