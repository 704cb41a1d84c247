package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.assertDone;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.await;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.HeldProgram.Task;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapSettings;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Connections that are replaced because somebody asks, or as the settings say, and not because a service goes. */
final class SwapOnRequestTest extends SwapFixture {
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
        TransportLimits plain = TransportLimits.DEFAULT;
        TransportLimits slow = new TransportLimits(
                plain.receiveMargin(),
                plain.reverseCredits(),
                plain.maxReverseCall(),
                plain.workQueueDepth(),
                plain.maxSegment(),
                plain.maxRead(),
                plain.pullBudget(),
                plain.poolIdle(),
                plain.versionsKept(),
                RetryPolicy.doubling(Duration.ofHours(1), Duration.ofHours(1)));
        Duration recovery = Duration.ofHours(9);
        try (RdmaRpcTransport patient = TransportPair.transportOfBoth(slow, fabric)) {
            RpcConnection connection = patient.connect(new ConnectOptions(
                    listener.localAddress(),
                    LONG,
                    recovery,
                    LONG,
                    8,
                    ConnectionObserver.NONE,
                    Optional.empty(),
                    Map.of()));
            TransportPair.callNull(connection);
            listener.close();
            CompletableFuture<String> call = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
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
    @DisplayName("versionReturn=now: back to the higher version as soon as it is there, each call once")
    void shouldReturnToTheHigherVersionAtOnce() throws Exception {
        client.configure(new SwapSettings(LONG, true));
        RpcConnection connection = connect();
        TransportPair.callNull(connection);
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
        assertThat(TransportPair.count(client, Counter.RETRANSMISSIONS.label())).isZero();
        held.assertOnce(1);
    }

    @Test
    @DisplayName("the setting changes while connections stand, and without them it stays as it is")
    void shouldReturnWhenTheSettingSaysSo() throws Exception {
        RpcConnection connection = connect();
        client.unbindFraming(two);
        client.bindFraming(new VersionTwoFraming());
        await(() -> connection.settings().get("swaps").equals("1"));
        TransportPair.callNull(connection);
        assertThat(connection.settings()).containsEntry("swaps", "1");
        client.configure(new SwapSettings(LONG, true));
        await(() -> connection.settings().getOrDefault("version", "").equals("2"));
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        RpcConnection pinned = client.connect(
                TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Version.ONE.options()));
        client.configure(new SwapSettings(LONG, true));
        TransportPair.callNull(pinned);
        assertThat(pinned.settings()).containsEntry("swaps", "0");
    }

    @Test
    @DisplayName("versionReturn=now: what was made without a negotiator is made again with one")
    void shouldReturnToWhatIsNegotiated() throws Exception {
        client.configure(new SwapSettings(LONG, true));
        PrivateDataNegotiator negotiator = new PrivateDataNegotiator();
        RdmaRpcTransport poor = new RdmaRpcTransport(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
        try (poor) {
            poor.configure(new SwapSettings(LONG, true));
            poor.bindProvider(fabric);
            poor.bindFraming(one);
            RpcConnection connection =
                    poor.connect(TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            assertThat(connection.settings()).containsEntry("callThreshold", "1024");
            poor.bindNegotiator(negotiator);
            await(() -> connection.settings().getOrDefault("callThreshold", "").equals("5120"));
            await(() -> connection.settings().get("swaps").equals("1"));
            assertThat(connection.settings().get("lastSwap")).startsWith("the negotiator came; ");
            connection.close();
        }
    }

    @Test
    @DisplayName("that a server did not speak Version Two is not held against it when somebody asks")
    void shouldForgetWhatAServerDidNotSpeakOnRequest() throws Exception {
        Framing theirs = new VersionTwoFraming();
        try (RdmaRpcTransport changing = TransportPair.transport(TransportLimits.DEFAULT, fabric)) {
            RpcListener other = changing.listen(TransportPair.listenOptions(16, Map.of()), new EchoProgram());
            RpcConnection connection =
                    client.connect(TransportPair.options(other.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            TransportPair.callNull(connection);
            assertVersion(connection, 1);
            changing.bindFraming(theirs);
            connection.reconnect(LONG);
            TransportPair.callNull(connection);
            assertVersion(connection, 2);
            changing.unbindFraming(theirs);
            TransportPair.callNull(connection);
            assertVersion(connection, 1);
            changing.bindFraming(theirs);
            client.bindFraming(new VersionTwoFraming()); // where both were away, as of one host
            fabric.breakAll();
            TransportPair.callNull(connection);
            assertVersion(connection, 2);
            connection.close();
        }
    }
}
