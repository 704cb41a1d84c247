package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.RpcClient;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Connecting, what can go wrong with it, and services below that come and go; with either version only. */
@ParameterizedClass
@EnumSource
final class ConnectTest {
    private final Version version;
    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport server;
    private final RdmaRpcTransport client =
            new RdmaRpcTransport(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());

    ConnectTest(Version version) {
        this.version = version;
        server = version.transport(fabric);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        fabric.awaitAllEnded();
    }

    private RpcListener listen() throws IOException {
        return server.listen(ListenOptions.on(MemoryFabric.address(0)), new EchoProgram());
    }

    private static ConnectOptions options(InetSocketAddress remote, Duration bound, Map<String, String> transport) {
        return new ConnectOptions(remote, bound, bound, bound, 8, ConnectionObserver.NONE, Optional.empty(), transport);
    }

    private static ConnectOptions quick(InetSocketAddress remote) {
        return options(remote, Duration.ofMillis(50), Map.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "speed=9 | unknown transport option 'speed'; known ones are provider, rpcrdma, inline, crc, invalidate",
                "inline=1000 | inline=1000 makes no sense",
                "inline=many | inline=many is not a number",
                "rpcrdma=one | rpcrdma=one is not a number",
                "rpcrdma=0 | rpcrdma=0 makes no sense",
                "crc=maybe | crc=maybe makes no sense; it is on or off",
                "invalidate=1 | invalidate=1 makes no sense"
            })
    void shouldRefuseSenselessOptions(String option, String message) {
        int equals = option.indexOf('=');
        Map<String, String> transport = Map.of(option.substring(0, equals), option.substring(equals + 1));
        assertThatThrownBy(() -> server.connect(options(MemoryFabric.address(1), Duration.ofSeconds(1), transport)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
        assertThat(server.connections()).isEmpty();
    }

    @Test
    void shouldNameMissingProvider() {
        assertThatThrownBy(() -> client.connect(quick(MemoryFabric.address(1))))
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("no RDMA provider is there")
                .hasMessageContaining("io.verbena.verbs.iwarp");
        assertThatThrownBy(() -> server.connect(
                        options(MemoryFabric.address(1), Duration.ofMillis(10), Map.of("provider", "native"))))
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("'native'");
    }

    @Test
    void shouldNameMissingFraming() {
        client.bindProvider(fabric);
        assertThatThrownBy(() -> client.connect(quick(MemoryFabric.address(1))))
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("io.verbena.rpcrdma.v1");
        Version other = version == Version.ONE ? Version.TWO : Version.ONE;
        assertThatThrownBy(
                        () -> server.connect(options(MemoryFabric.address(1), Duration.ofMillis(10), other.options())))
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("Version " + other.number());
    }

    @Test
    void shouldWaitForServices() throws Exception {
        RpcListener listener = listen();
        CompletableFuture<RpcConnection> connecting = CompletableFuture.supplyAsync(() -> {
            try {
                return client.connect(options(listener.localAddress(), Duration.ofSeconds(10), Map.of()));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        client.bindFraming(version.framing());
        client.bindProvider(fabric);
        assertThat(TransportPair.callNull(connecting.get(10, TimeUnit.SECONDS))).isEqualTo("done");
    }

    @Test
    @Proves({"CM-4-3", "CM-5.1-1", "V1-4.3.1-4"})
    @DisplayName("without a negotiator on either side the defaults hold")
    void shouldUseDefaultsWithoutNegotiator() throws Exception {
        RpcListener listener = listen();
        client.bindFraming(version.framing());
        client.bindProvider(fabric);
        RpcConnection connection = client.connect(ConnectOptions.to(listener.localAddress()));
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        String threshold = Integer.toString(version.inlineThreshold());
        assertThat(connection.settings())
                .containsEntry("callThreshold", threshold)
                .containsEntry("replyThreshold", threshold)
                .containsEntry("remoteInvalidation", "off");
        assertThat(server.connections().get(0).settings()).containsEntry("callThreshold", threshold);
    }

    @Test
    void shouldExplainRefusal() {
        assertThatThrownBy(() -> server.connect(ConnectOptions.to(MemoryFabric.address(9))))
                .isInstanceOf(TransportLostException.class)
                .hasMessageContaining(":9: connection refused; is an NFS/RDMA server listening there?");
        assertThat(server.connections()).isEmpty();
    }

    @Test
    void shouldExplainUnknownHost() {
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 20049);
        assertThatThrownBy(() -> server.connect(ConnectOptions.to(nowhere)))
                .isInstanceOf(TransportLostException.class)
                .hasMessage("cannot connect to no-such-host.invalid:20049: no such host; check the name");
    }

    @Test
    void shouldExplainPlainTcpService() throws Exception {
        IwarpProvider iwarp = new IwarpProvider(new SystemRuntime(), new DirectMemory());
        RdmaRpcTransport transport = version.transport(iwarp);
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> banner = CompletableFuture.runAsync(() -> {
                try (Socket socket = plain.accept()) {
                    socket.getOutputStream()
                            .write("220 welcome to a service of another kind\r\n"
                                    .repeat(9)
                                    .getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().read();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            InetSocketAddress remote = (InetSocketAddress) plain.getLocalSocketAddress();
            assertThatThrownBy(() -> transport.connect(ConnectOptions.to(remote)))
                    .isInstanceOf(TransportLostException.class)
                    .hasMessageContaining("answers, but does not speak MPA/iWARP; is it a plain TCP service?");
            assertThat(banner).succeedsWithin(10, TimeUnit.SECONDS);
        } finally {
            transport.close();
            iwarp.deactivate();
        }
    }

    @Test
    void shouldReportSettingsAndCounters() throws Exception {
        String threshold = Integer.toString(2 * version.inlineThreshold());
        RpcListener listener = server.listen(
                new ListenOptions(MemoryFabric.address(0), 9, 3, 1 << 20, Map.of("inline", threshold)),
                new EchoProgram());
        RpcConnection connection = server.connect(
                options(listener.localAddress(), Duration.ofSeconds(9), Map.of("inline", "16384", "crc", "off")));
        TransportPair.callNull(connection);
        assertThat(connection.settings())
                .containsEntry("provider", "iwarp")
                .containsEntry("device", "mem0")
                .containsEntry("version", Integer.toString(version.number()))
                .containsEntry("callThreshold", threshold)
                .containsEntry("replyThreshold", threshold)
                .containsEntry("remoteInvalidation", "on")
                .containsEntry("credits", "8")
                .containsEntry("crc", "off")
                .containsEntry("reconnects", "0")
                .containsKeys("local", "remote");
        List<ConnectionStatus> all = server.connections();
        assertThat(all).extracting(ConnectionStatus::role).containsExactlyInAnyOrder("client", "server");
        assertThat(all).allSatisfy(status -> {
            assertThat(status.state()).isEqualTo("connected");
            assertThat(status.counters()).containsEntry("calls", 1L).containsEntry("registrations", 0L);
        });
        connection.close();
        assertThat(server.connections()).noneMatch(status -> status.role().equals("client"));
    }

    @Test
    void shouldFailCallsWhenRecoveryTakesTooLong() throws Exception {
        RpcListener listener = listen();
        RpcConnection connection = server.connect(options(listener.localAddress(), Duration.ofMillis(200), Map.of()));
        TransportPair.callNull(connection);
        listener.close();
        assertThatThrownBy(() -> TransportPair.callNull(connection))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(TransportLostException.class)
                .hasMessageContaining("could not be made again within 0.2 s")
                .hasMessageContaining("connection refused");
        assertThat(connection.isOpen()).isTrue();
        RpcListener again = server.listen(ListenOptions.on(listener.localAddress()), new EchoProgram());
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        again.close();
    }

    @Test
    void shouldGoOnWithAnotherFraming() throws Exception {
        RpcListener listener = listen();
        Framing former = version.framing();
        client.bindFraming(former);
        client.bindProvider(fabric);
        client.bindNegotiator(new PrivateDataNegotiator());
        RpcConnection connection = client.connect(ConnectOptions.to(listener.localAddress()));
        TransportPair.callNull(connection);
        client.unbindFraming(former);
        CompletableFuture<String> waits = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
        client.bindFraming(version.framing());
        assertThat(waits.get(10, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(connection.settings()).containsEntry("reconnects", "1");
    }

    @Test
    void shouldConnectAgainWhenTheFramingGoesMeanwhile() throws Exception {
        RpcListener listener = listen();
        Framing former = version.framing();
        client.bindFraming(former);
        client.bindProvider(fabric);
        CompletableFuture<Void> again = new CompletableFuture<>();
        fabric.duringConnect(() -> {
            client.unbindFraming(former);
            client.bindFraming(version.framing());
            fabric.duringConnect(() -> again.complete(null));
        });
        RpcConnection connection = client.connect(ConnectOptions.to(listener.localAddress()));
        assertThat(again).isDone();
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("attempts whose services go are not begun anew for ever")
    void shouldGiveUpWhereTheFramingGoesMeanwhileAgainAndAgain() throws Exception {
        RpcListener listener = listen();
        client.bindProvider(fabric);
        replaceWhileConnecting(null);
        assertThatThrownBy(() -> client.connect(quick(listener.localAddress())))
                .isInstanceOf(TransportLostException.class)
                .hasMessageContaining("services of this host were replaced again and again");
        fabric.duringConnect(() -> {});
        assertThat(TransportPair.callNull(client.connect(quick(listener.localAddress()))))
                .isEqualTo("done");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("waits for services that come and go do not add up for ever, and calls end, too")
    void shouldGiveUpWhereTheFramingComesAndGoesAgainAndAgain() throws Exception {
        RpcListener listener = listen();
        client.bindProvider(fabric);
        Framing first = version.framing();
        client.bindFraming(first);
        ConnectOptions options = new ConnectOptions(
                listener.localAddress(),
                Duration.ofSeconds(2),
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                8,
                ConnectionObserver.NONE,
                Optional.empty(),
                Map.of());
        RpcConnection connection = client.connect(options);
        AtomicReference<CompletableFuture<Void>> back = new AtomicReference<>(CompletableFuture.completedFuture(null));
        leaveForAWhile(first, back);
        RpcCall call = TransportPair.call(EchoProgram.NULL).timeout(Duration.ofSeconds(2));
        assertThatThrownBy(() -> connection.call(call, in -> "done").get()).hasCauseInstanceOf(RpcException.class);
        connection.close();
        assertThatThrownBy(() -> client.connect(options))
                .isInstanceOf(TransportLostException.class)
                .hasMessageContaining("services of this host were replaced again and again");
        back.get().join();
        fabric.duringConnect(() -> {});
        assertThat(TransportPair.callNull(client.connect(options))).isEqualTo("done");
    }

    /** The framing goes, and another one comes soon. */
    private void leaveForAWhile(Framing present, AtomicReference<CompletableFuture<Void>> back) {
        client.unbindFraming(present);
        Framing next = version.framing();
        back.set(CompletableFuture.runAsync(
                () -> {
                    fabric.duringConnect(() -> leaveForAWhile(next, back));
                    client.bindFraming(next);
                },
                CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS)));
    }

    private void replaceWhileConnecting(Framing present) {
        if (present != null) {
            client.unbindFraming(present);
        }
        Framing next = version.framing();
        client.bindFraming(next);
        fabric.duringConnect(() -> replaceWhileConnecting(next));
    }

    @Test
    @DisplayName("opening and connecting, and doing so anew, have the time of one attempt together")
    void shouldNotHaveItsTimeTwice() throws Exception {
        RpcListener listener = listen();
        AtomicLong ahead = new AtomicLong();
        SystemRuntime runtime = new SystemRuntime() {
            @Override
            public long nanoTime() {
                return super.nanoTime() + ahead.get();
            }
        };
        AtomicReference<Duration> first = new AtomicReference<>();
        try (RdmaRpcTransport slow = new RdmaRpcTransport(runtime, TransportLimits.DEFAULT, new DirectMemory())) {
            Framing former = version.framing();
            slow.bindFraming(former);
            slow.bindProvider(fabric);
            fabric.duringOpen(() -> ahead.addAndGet(TimeUnit.SECONDS.toNanos(60)));
            fabric.duringConnect(() -> {
                first.set(fabric.lastTimeout());
                ahead.addAndGet(TimeUnit.SECONDS.toNanos(30));
                slow.unbindFraming(former);
                slow.bindFraming(version.framing());
            });
            RpcConnection connection =
                    slow.connect(options(listener.localAddress(), Duration.ofSeconds(100), Map.of()));
            assertThat(first.get()).isLessThanOrEqualTo(Duration.ofSeconds(40));
            assertThat(fabric.lastTimeout()).isLessThanOrEqualTo(Duration.ofSeconds(10));
            assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        }
    }

    @Test
    void shouldReconnectAgainWhenTheFramingGoesMeanwhile() throws Exception {
        RpcListener listener = listen();
        Framing former = version.framing();
        client.bindFraming(former);
        client.bindProvider(fabric);
        RpcConnection connection = client.connect(ConnectOptions.to(listener.localAddress()));
        TransportPair.callNull(connection);
        CompletableFuture<Void> again = new CompletableFuture<>();
        fabric.duringConnect(() -> {
            client.unbindFraming(former);
            client.bindFraming(version.framing());
            fabric.duringConnect(() -> again.complete(null));
        });
        fabric.breakAll();
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        assertThat(again).isDone();
    }

    @Test
    void shouldNotPauseTheConnectionThatIsInPlaceOfTheOneReplaced() throws Exception {
        RpcListener listener = listen();
        client.bindFraming(version.framing());
        client.bindProvider(fabric);
        RpcConnection connection = client.connect(ConnectOptions.to(listener.localAddress()));
        TransportPair.callNull(connection);
        ((RpcClient) connection)
                .replace(
                        present -> {
                            fabric.breakAll();
                            assertThat(connection.call(TransportPair.call(EchoProgram.NULL), in -> "done"))
                                    .succeedsWithin(10, TimeUnit.SECONDS);
                            return true;
                        },
                        "by the test");
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
    }

    @Test
    void shouldFinishCallsBeforeProviderGoes() throws Exception {
        MemoryFabric passing = new MemoryFabric();
        RdmaRpcTransport peer = version.transport(passing);
        client.bindFraming(version.framing());
        client.bindProvider(passing);
        try (peer) {
            CompletableFuture<Runnable> answer = new CompletableFuture<>();
            EchoProgram program = new EchoProgram(answer::complete);
            RpcListener listener = peer.listen(ListenOptions.on(MemoryFabric.address(0)), program);
            RpcConnection connection = client.connect(
                    options(listener.localAddress(), Duration.ofSeconds(10), Map.of("provider", "iwarp")));
            io.verbena.rpc.RpcCall read = TransportPair.call(EchoProgram.READ);
            read.arguments().putInt(1).putInt(2).putInt(3).putInt(4);
            CompletableFuture<String> underWay = connection.call(read, in -> "finished");
            Runnable reply = answer.get(10, TimeUnit.SECONDS);
            CompletableFuture<Void> leaving = CompletableFuture.runAsync(() -> client.unbindProvider(passing));
            reply.run();
            leaving.get(10, TimeUnit.SECONDS);
            assertThat(underWay.get(1, TimeUnit.SECONDS)).isEqualTo("finished");
            assertThat(passing.open()).noneMatch(end -> end.isConnected());
        }
        passing.awaitAllEnded();
    }

    @Test
    void shouldListenAgainWhenProviderComesBack() throws Exception {
        RpcListener listener = listen();
        client.bindFraming(version.framing());
        client.bindProvider(fabric);
        RpcConnection connection = client.connect(ConnectOptions.to(listener.localAddress()));
        TransportPair.callNull(connection);
        server.unbindProvider(fabric);
        CompletableFuture<String> waits = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
        server.bindProvider(fabric);
        assertThat(waits.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    void shouldListenWithAnotherProviderWhenTheFirstGoesMeanwhile() throws Exception {
        MemoryFabric other = new MemoryFabric();
        fabric.duringListen(() -> {
            server.unbindProvider(fabric);
            server.bindProvider(other);
        });
        RpcListener listener = listen();
        fabric.awaitListeners(0);
        other.awaitListeners(1);
        client.bindFraming(version.framing());
        client.bindProvider(other);
        RpcConnection connection = client.connect(ConnectOptions.to(listener.localAddress()));
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        connection.close();
        listener.close();
        other.awaitAllEnded();
    }

    @Test
    void shouldNotListenAgainWithAProviderThatGoesMeanwhile() throws Exception {
        listen();
        server.unbindProvider(fabric);
        CompletableFuture<Void> gone = new CompletableFuture<>();
        fabric.duringListen(() -> {
            server.unbindProvider(fabric);
            gone.complete(null);
        });
        server.bindProvider(fabric);
        assertThat(gone).succeedsWithin(10, TimeUnit.SECONDS);
        fabric.awaitListeners(0);
        server.bindProvider(fabric);
        fabric.awaitListeners(1);
    }

    @Test
    void shouldLeaveNoListenerWhenClosedWhileListeningAgain() throws Exception {
        RpcListener listener = listen();
        server.unbindProvider(fabric);
        CompletableFuture<Void> closed = new CompletableFuture<>();
        fabric.duringListen(() -> {
            listener.close();
            closed.complete(null);
        });
        server.bindProvider(fabric);
        assertThat(closed).succeedsWithin(10, TimeUnit.SECONDS);
        fabric.awaitListeners(0);
    }

    @Test
    void shouldBreakOffConnectingWhenClosed() throws Exception {
        CompletableFuture<Void> connecting = CompletableFuture.runAsync(() -> {
            assertThatThrownBy(() -> client.connect(options(MemoryFabric.address(1), Duration.ofSeconds(60), Map.of())))
                    .isInstanceOf(IOException.class);
        });
        client.close();
        assertThat(connecting).succeedsWithin(10, TimeUnit.SECONDS);
    }
}
