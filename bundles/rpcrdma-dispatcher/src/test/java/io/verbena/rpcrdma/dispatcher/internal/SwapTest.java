package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.assertDone;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.await;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.HeldProgram.Task;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Services that go and come below a client whose calls are under way. */
final class SwapTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final MemoryFabric fabric = new MemoryFabric();
    private final HeldProgram held = new HeldProgram();
    private final Framing one = new VersionOneFraming();
    private final Framing two = new VersionTwoFraming();
    private final RdmaRpcTransport server = Rig.transportOfBoth(Tuning.DEFAULT, fabric);
    private final RdmaRpcTransport client = new RdmaRpcTransport(Tuning.DEFAULT);
    private RpcListener listener;

    @BeforeEach
    void begin() throws Exception {
        client.bindProvider(fabric);
        client.bindFraming(one);
        client.bindFraming(two);
        client.bindNegotiator(new PrivateDataNegotiator());
        listener = server.listen(Rig.listenOptions(16, Map.of()), held.program);
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
        fabric.awaitAllEnded();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("rpcrdma-") || name.startsWith("memory-rdma-"));
    }

    private RpcConnection connect() throws IOException {
        return client.connect(Rig.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
    }

    private RpcConnection connect(Duration recovery, Duration service) throws IOException {
        return client.connect(new ConnectOptions(
                listener.localAddress(),
                LONG,
                recovery,
                service,
                8,
                ConnectionObserver.NONE,
                Optional.empty(),
                Map.of()));
    }

    /** Connects, and has a call in the hands of the program. */
    private CompletableFuture<String> underWay(RpcConnection connection, int serial) throws Exception {
        Rig.callNull(connection); // brings credits
        return call(connection, serial);
    }

    private static void assertVersion(RpcConnection connection, int version) {
        assertThat(connection.settings()).containsEntry("version", Integer.toString(version));
    }

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
        assertThat(Rig.count(client, Counter.RETRANSMISSIONS.label())).isZero();
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
        Rig.callNull(connection);
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
        Rig.callNull(connection);
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

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
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
    @DisplayName("who asks for another connection during a swap gets the one that is made")
    void shouldTakeTheConnectionOfASwapUnderWay() throws Exception {
        RpcConnection connection = connect();
        CompletableFuture<String> call = underWay(connection, 1);
        Runnable answer = held.next();
        Task leaving = Task.waiting(() -> client.unbindFraming(two));
        Task asking = Task.waiting(() -> connection.reconnect(LONG));
        answer.run();
        leaving.assertDone();
        asking.assertDone();
        assertDone(call);
        assertThat(connection.settings()).containsEntry("swaps", "1").containsEntry("reconnects", "1");
        assertVersion(connection, 1);
    }

    @Test
    @DisplayName("who asks for another connection does not wait for the next attempt's time")
    void shouldHurryOnRequest() throws Exception {
        Tuning plain = Tuning.DEFAULT;
        Tuning slow = new Tuning(
                plain.receiveMargin(),
                plain.reverseCredits(),
                plain.maxReverseCall(),
                plain.workQueueDepth(),
                plain.maxSegment(),
                plain.maxRead(),
                plain.pullBudget(),
                plain.poolIdle(),
                plain.versionsKept(),
                Duration.ofHours(1),
                Duration.ofHours(1));
        Duration recovery = Duration.ofHours(9);
        try (RdmaRpcTransport patient = Rig.transportOfBoth(slow, fabric)) {
            RpcConnection connection = patient.connect(new ConnectOptions(
                    listener.localAddress(),
                    LONG,
                    recovery,
                    LONG,
                    8,
                    ConnectionObserver.NONE,
                    Optional.empty(),
                    Map.of()));
            Rig.callNull(connection);
            listener.close();
            CompletableFuture<String> call = connection.call(Rig.call(EchoProgram.NULL), in -> "done");
            assertThatThrownBy(() -> connection.reconnect(Duration.ofMillis(20)))
                    .isInstanceOf(TransportLostException.class)
                    .hasMessageContaining("not made again in time");
            RpcListener again = server.listen(
                    new io.verbena.rpc.ListenOptions(listener.localAddress(), 16, 16, EchoProgram.MAX, Map.of()),
                    held.program);
            connection.reconnect(LONG);
            assertDone(call);
            connection.close();
            again.close();
        }
    }

    @Test
    @DisplayName("calls wait for a missing framing as long as was said, then name it; it comes, and all is well")
    void shouldNameTheMissingFramingAndHeal() throws Exception {
        client.unbindFraming(two);
        RpcConnection connection = connect(LONG, Duration.ofMillis(60));
        Rig.callNull(connection);
        client.unbindFraming(one);
        for (int i = 0; i < 2; i++) {
            CompletableFuture<String> call = connection.call(
                    HeldProgram.message(1).timeout(Duration.ofMillis(5)), in -> "done"); // time that does not run
            assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(MissingServiceException.class)
                    .hasMessageContaining("start the bundle io.verbena.rpcrdma.v1");
        }
        assertThat(connection.isOpen()).isTrue();
        assertThatThrownBy(() -> connection.reconnect(Duration.ofMillis(5)))
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("io.verbena.rpcrdma.v1");
        client.bindFraming(new VersionOneFraming());
        assertThat(Rig.callNull(connection)).isEqualTo("done");
        assertThat(held.isQuiet()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"framings", "provider"})
    @Timeout(60) // each would wait for 2 s if it did so anew
    @DisplayName("the time that a service is waited for begins when it goes, not with each call")
    void shouldNotWaitAnewForWhatHasBeenMissingForLong(String what) throws Exception {
        RpcConnection connection = connect(LONG, Duration.ofSeconds(2));
        Rig.callNull(connection);
        Runnable leave = what.equals("provider")
                ? () -> client.unbindProvider(fabric)
                : () -> {
                    client.unbindFraming(two);
                    client.unbindFraming(one);
                };
        Runnable come = what.equals("provider")
                ? () -> client.bindProvider(fabric)
                : () -> client.bindFraming(new VersionTwoFraming());
        leave.run();
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> call(connection, 1).get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(MissingServiceException.class);
            assertThatThrownBy(() -> connect(LONG, Duration.ofSeconds(2))).isInstanceOf(MissingServiceException.class);
        }
        come.run();
        assertThat(Rig.callNull(connection)).isEqualTo("done");
    }

    @Test
    @DisplayName("who is told that a service is missing, or the transport gone, is told whether the call went out")
    void shouldTellWhetherACallWentOut() throws Exception {
        client.configure(new SwapSettings(Duration.ofMillis(20), false));
        client.unbindFraming(two);
        RpcConnection connection = connect(LONG, Duration.ofMillis(200));
        CompletableFuture<String> sent = underWay(connection, 1);
        Runnable tooLate = held.next();
        client.unbindFraming(one);
        CompletableFuture<String> waiting = call(connection, 2);
        assertThatThrownBy(() -> sent.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(MissingServiceException.class, e -> assertThat(e.wasSent())
                        .isTrue());
        assertThatThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(MissingServiceException.class, e -> assertThat(e.wasSent())
                        .isFalse());
        tooLate.run(); // to nobody
        client.bindFraming(new VersionOneFraming());
        CompletableFuture<String> last = underWay(connection, 3);
        held.next();
        connection.close();
        assertThatThrownBy(() -> last.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(TransportLostException.class, e -> assertThat(e.wasSent())
                        .isTrue());
        assertThatThrownBy(() -> call(connection, 4).get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(TransportLostException.class, e -> assertThat(e.wasSent())
                        .isFalse());
    }

    @Test
    @DisplayName("the time that a service is waited for is not the peer's")
    void shouldNotCountTheWaitForServicesAsTheRecoverys() throws Exception {
        RpcConnection connection = connect(Duration.ofNanos(1), LONG);
        Rig.callNull(connection);
        client.unbindProvider(fabric);
        CompletableFuture<String> call = connection.call(Rig.call(EchoProgram.NULL), in -> "done");
        client.bindProvider(fabric);
        assertDone(call);
    }

    @Test
    @DisplayName("a first connection waits for services, too")
    void shouldWaitForServicesAtFirst() throws Exception {
        client.unbindProvider(fabric);
        assertThatThrownBy(() -> connect(LONG, Duration.ofMillis(20))).isInstanceOf(MissingServiceException.class);
        Task connecting = Task.waiting(() -> connect(LONG, LONG));
        client.bindProvider(fabric);
        connecting.assertDone();
    }

    @Test
    @DisplayName("versionReturn=now: back to the higher version as soon as it is there, each call once")
    void shouldReturnToTheHigherVersionAtOnce() throws Exception {
        client.configure(new SwapSettings(LONG, true));
        RpcConnection connection = connect();
        Rig.callNull(connection);
        client.unbindFraming(two);
        CompletableFuture<String> first = call(connection, 1);
        Runnable answer = held.next();
        assertVersion(connection, 1);
        client.bindFraming(new VersionTwoFraming());
        answer.run();
        assertDone(first);
        await(() -> connection.settings().get("swaps").equals("2"));
        assertVersion(connection, 2);
        assertThat(connection.settings().get("lastSwap")).startsWith("Version 2 came; ");
        assertThat(Rig.count(client, Counter.RETRANSMISSIONS.label())).isZero();
        held.assertOnce(1);
    }

    @Test
    @DisplayName("the setting changes while connections stand, and without them it stays as it is")
    void shouldReturnWhenTheSettingSaysSo() throws Exception {
        RpcConnection connection = connect();
        client.unbindFraming(two);
        client.bindFraming(new VersionTwoFraming());
        await(() -> connection.settings().get("swaps").equals("1"));
        Rig.callNull(connection);
        assertThat(connection.settings()).containsEntry("swaps", "1");
        client.configure(new SwapSettings(LONG, true));
        await(() -> connection.settings().getOrDefault("version", "").equals("2"));
        assertThat(Rig.callNull(connection)).isEqualTo("done");
        RpcConnection pinned =
                client.connect(Rig.options(listener.localAddress(), 8, ConnectionObserver.NONE, Version.ONE.options()));
        client.configure(new SwapSettings(LONG, true));
        Rig.callNull(pinned);
        assertThat(pinned.settings()).containsEntry("swaps", "0");
    }

    @Test
    @DisplayName("versionReturn=now: what was made without a negotiator is made again with one")
    void shouldReturnToWhatIsNegotiated() throws Exception {
        client.configure(new SwapSettings(LONG, true));
        PrivateDataNegotiator negotiator = new PrivateDataNegotiator();
        RdmaRpcTransport poor = new RdmaRpcTransport(Tuning.DEFAULT);
        try (poor) {
            poor.configure(new SwapSettings(LONG, true));
            poor.bindProvider(fabric);
            poor.bindFraming(one);
            RpcConnection connection =
                    poor.connect(Rig.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            assertThat(connection.settings()).containsEntry("callThreshold", "1024");
            poor.bindNegotiator(negotiator);
            await(() -> connection.settings().getOrDefault("callThreshold", "").equals("4096"));
            await(() -> connection.settings().get("swaps").equals("1"));
            assertThat(connection.settings().get("lastSwap")).startsWith("the negotiator came; ");
            connection.close();
        }
    }

    @Test
    @DisplayName("that a server did not speak Version Two is not held against it when somebody asks")
    void shouldForgetWhatAServerDidNotSpeakOnRequest() throws Exception {
        Framing theirs = new VersionTwoFraming();
        try (RdmaRpcTransport changing = Rig.transport(Tuning.DEFAULT, fabric)) {
            RpcListener other = changing.listen(Rig.listenOptions(16, Map.of()), new EchoProgram());
            RpcConnection connection =
                    client.connect(Rig.options(other.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            Rig.callNull(connection);
            assertVersion(connection, 1);
            changing.bindFraming(theirs);
            connection.reconnect(LONG);
            Rig.callNull(connection);
            assertVersion(connection, 2);
            changing.unbindFraming(theirs);
            Rig.callNull(connection);
            assertVersion(connection, 1);
            changing.bindFraming(theirs);
            client.bindFraming(new VersionTwoFraming()); // where both were away, as of one host
            fabric.breakAll();
            Rig.callNull(connection);
            assertVersion(connection, 2);
            connection.close();
        }
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
        Rig.callNull(connection);
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
        connection.close();
        goOn.countDown();
        awaitLatch(opened); // the end of the transport interrupts whoever still waits
    }
}
