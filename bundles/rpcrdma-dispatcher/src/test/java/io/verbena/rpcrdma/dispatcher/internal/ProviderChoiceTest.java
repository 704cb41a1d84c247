package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which of two providers carries connections, and that it stays the one. */
final class ProviderChoiceTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final MemoryFabric software = new MemoryFabric("iwarp");
    private final MemoryFabric devices = new MemoryFabric("native");
    private final RdmaRpcTransport server =
            new RdmaRpcTransport(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
    private final RdmaRpcTransport client =
            new RdmaRpcTransport(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
    private final InetSocketAddress address = MemoryFabric.address(20049);

    ProviderChoiceTest() {
        for (RdmaRpcTransport transport : List.of(server, client)) {
            transport.bindFraming(new VersionOneFraming());
            transport.bindFraming(new VersionTwoFraming());
            transport.bindNegotiator(new PrivateDataNegotiator());
        }
        server.bindProvider(devices);
        server.bindProvider(software);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        software.awaitAllEnded();
        devices.awaitAllEnded();
    }

    /** A server at that address for either provider. */
    private void listenWithBoth() throws IOException {
        listen("iwarp");
        listen("native");
    }

    private RpcListener listen(String provider) throws IOException {
        return server.listen(
                new ListenOptions(address, 8, 4, 1 << 20, Map.of("provider", provider)), new EchoProgram());
    }

    private RpcConnection connect(Map<String, String> options) throws IOException {
        return client.connect(options(LONG, options));
    }

    private ConnectOptions options(Duration bound, Map<String, String> options) {
        return new ConnectOptions(address, bound, bound, bound, 8, ConnectionObserver.NONE, Optional.empty(), options);
    }

    private static void assertChosen(RpcConnection connection, String provider, String reason) {
        assertThat(connection.settings()).containsEntry("provider", provider).containsEntry("providerChoice", reason);
    }

    @Test
    void shouldTakeTheDeviceWithARoute() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        client.bindProvider(devices);
        RpcConnection connection = connect(Map.of());
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        assertChosen(connection, "native", "auto: mem0 has a route");
        assertThat(connection.settings()).containsEntry("device", "mem0");
        assertThat(software.open()).isEmpty();
    }

    @Test
    void shouldTakeTheSoftwareWhereNoDeviceHasARoute() throws Exception {
        listenWithBoth();
        devices.hasRoute(false);
        client.bindProvider(software);
        client.bindProvider(devices);
        assertChosen(connect(Map.of("provider", "auto")), "iwarp", "auto: no device has a route");
    }

    @Test
    void shouldTakeTheSoftwareWhereThereIsNothingElse() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        assertChosen(connect(Map.of()), "iwarp", "auto: there is no provider of devices");
        assertThat(software.askedForRoute()).isZero();
    }

    @Test
    void shouldTakeWhatIsAskedFor() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        client.bindProvider(devices);
        assertChosen(connect(Map.of("provider", "iwarp")), "iwarp", "asked for");
        assertChosen(connect(Map.of("provider", "native")), "native", "asked for");
        assertThat(devices.askedForRoute()).isZero();
    }

    @Test
    void shouldAskEachProviderOnceHoweverOftenServicesChange() throws Exception {
        devices.hasRoute(false);
        client.bindProvider(devices);
        CountDownLatch asked = new CountDownLatch(1);
        devices.duringReaches(asked::countDown);
        CompletableFuture<RpcConnection> connecting = connecting();
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 50; i++) {
            VersionOneFraming passing = new VersionOneFraming();
            client.bindFraming(passing);
            client.unbindFraming(passing);
        }
        listenWithBoth();
        client.bindProvider(software);
        assertChosen(connecting.get(10, TimeUnit.SECONDS), "iwarp", "auto: no device has a route");
        assertThat(devices.askedForRoute()).isOne();
    }

    private CompletableFuture<RpcConnection> connecting() {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return connect(Map.of());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void shouldNotKeepServicesFromChangingWhileAProviderLooksForARoute() throws Exception {
        listenWithBoth();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        devices.duringReaches(() -> {
            asked.countDown();
            try {
                assertThat(go.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        client.bindProvider(devices);
        CompletableFuture<RpcConnection> connecting = connecting();
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> {
            client.bindProvider(software);
            client.unbindProvider(software);
        });
        assertThat(changes).succeedsWithin(10, TimeUnit.SECONDS);
        go.countDown();
        assertChosen(connecting.get(10, TimeUnit.SECONDS), "native", "auto: mem0 has a route");
    }

    @Test
    void shouldStayWithTheSoftwareWhenADeviceComes() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        RpcConnection connection = connect(Map.of());
        client.bindProvider(devices);
        software.breakAll();
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        assertChosen(connection, "iwarp", "auto: there is no provider of devices");
        assertThat(connection.settings()).containsEntry("reconnects", "1");
        assertThat(devices.open()).isEmpty();
        assertThat(devices.askedForRoute()).isZero();
    }

    @Test
    void shouldWaitForTheProviderThatHasGone() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        client.bindProvider(devices);
        RpcConnection connection = connect(Map.of());
        client.unbindProvider(devices);
        assertChosen(connection, "native", "auto: mem0 has a route");
        CompletableFuture<String> waits = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
        assertThat(software.open()).isEmpty();
        client.bindProvider(devices);
        assertThat(waits.get(10, TimeUnit.SECONDS)).isEqualTo("done");
        assertChosen(connection, "native", "auto: mem0 has a route");
    }

    @Test
    void shouldSayWhatToDoWhereTheProviderStaysAway() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        client.bindProvider(devices);
        RpcConnection connection = client.connect(options(Duration.ofMillis(200), Map.of()));
        client.unbindProvider(devices);
        assertThatThrownBy(() -> TransportPair.callNull(connection))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("'native'")
                .hasMessageContaining("(auto: mem0 has a route)")
                .hasMessageContaining("start its bundle (io.verbena.verbs.native)")
                .hasMessageContaining("mount again");
        assertThat(software.open()).isEmpty();
    }

    @Test
    void shouldChooseAnewWhereTheFirstAttemptFailed() throws Exception {
        client.bindProvider(software);
        client.bindProvider(devices);
        assertThatThrownBy(() -> connect(Map.of()))
                .isInstanceOf(TransportLostException.class)
                .hasMessageContaining("connection refused")
                .hasMessageContaining("auto took provider native")
                .hasMessageContaining("provider=iwarp");
        devices.hasRoute(false);
        listenWithBoth();
        assertChosen(connect(Map.of()), "iwarp", "auto: no device has a route");
    }

    @Test
    void shouldSayThatAutoTookTheProviderThatRefusesAnOption() throws Exception {
        listenWithBoth();
        client.bindProvider(devices);
        devices.duringConnect(ProviderChoiceTest::refuse);
        assertThatThrownBy(() -> connect(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such option (auto took provider native, which has a route)");
        devices.duringConnect(ProviderChoiceTest::refuse);
        assertThatThrownBy(() -> connect(Map.of("provider", "native")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such option");
    }

    private static void refuse() {
        throw new IllegalArgumentException("no such option");
    }

    @Test
    void shouldTakeTheProviderOfAnEarlierConnectionAgain() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        RpcConnection first = connect(Map.of());
        Map<String, String> kept = first.choice();
        first.close();
        client.bindProvider(devices);
        assertChosen(connect(kept), "iwarp", "auto: there is no provider of devices");
        client.unbindProvider(software);
        assertThatThrownBy(() -> client.connect(options(Duration.ofMillis(50), kept)))
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("(auto: there is no provider of devices), is not there any more");
    }

    @Test
    void shouldTellTheDeviceOfAnEarlierConnectionAgain() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        client.bindProvider(devices);
        RpcConnection first = connect(Map.of());
        RpcConnection next = connect(first.choice());
        assertChosen(next, "native", "auto: mem0 has a route");
        assertThat(next.choice()).isEqualTo(first.choice());
    }

    @Test
    void shouldHaveNoChoiceToTellWhereAProviderWasAskedFor() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        assertThat(connect(Map.of("provider", "iwarp")).choice()).isEmpty();
    }

    @Test
    void shouldTakeReasonsForPeopleAsNoOption() {
        assertThatThrownBy(() -> connect(Map.of("provider", "iwarp", "providerChoice", "auto: mem0 has a route")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown transport option 'providerChoice'; known ones are provider, rpcrdma, inline, crc,"
                        + " invalidate, reverse-chunks, poll, label");
    }

    @Test
    void shouldChooseAnewWhereTheProviderGoesBeforeItsFirstConnectionIsInUse() throws Exception {
        listenWithBoth();
        client.bindProvider(software);
        client.bindProvider(devices);
        devices.duringConnect(() -> client.unbindProvider(devices));
        RpcConnection connection = client.connect(options(LONG, Map.of()));
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        assertChosen(connection, "iwarp", "auto: there is no provider of devices");
    }

    @Test
    void shouldNameWhatIsMissing() {
        client.bindProvider(software);
        assertThatThrownBy(() -> client.connect(options(Duration.ofMillis(20), Map.of("provider", "native"))))
                .isInstanceOf(MissingServiceException.class)
                .hasMessage(
                        "the RDMA provider 'native' is not there; either there is no RDMA device here that it can use"
                                + " (see rdma link), or its libraries are missing (install libibverbs1, librdmacm1 and"
                                + " ibverbs-providers), or it is not started: the log says which, in a line of"
                                + " io.verbena.verbs.native; then start its bundle (io.verbena.verbs.native), or "
                                + "leave out"
                                + " provider=native");
        assertThatThrownBy(() -> client.connect(options(Duration.ofMillis(20), Map.of("provider", "rxe"))))
                .isInstanceOf(MissingServiceException.class)
                .hasMessage("no RDMA provider is called 'rxe'; known ones are auto, native, iwarp");
    }

    @Test
    void shouldListenInSoftwareUnlessToldOtherwise() throws Exception {
        RpcListener byAuto = server.listen(ListenOptions.on(MemoryFabric.address(0)), new EchoProgram());
        software.awaitListeners(1);
        devices.awaitListeners(0);
        assertThat(byAuto.settings())
                .containsEntry("provider", "iwarp")
                .containsEntry("providerChoice", "auto: serves every peer that speaks iWARP");
        RpcListener asked = listen("native");
        devices.awaitListeners(1);
        assertThat(asked.settings()).containsEntry("provider", "native").containsEntry("providerChoice", "asked for");
    }

    @Test
    void shouldListenAgainOnlyWithTheSameProvider() throws Exception {
        listen("native");
        server.unbindProvider(devices);
        devices.awaitListeners(0);
        MemoryFabric other = new MemoryFabric("other");
        server.bindProvider(other);
        server.bindProvider(devices);
        devices.awaitListeners(1);
        other.awaitListeners(0);
        software.awaitListeners(0);
    }
}
