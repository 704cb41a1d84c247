package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.assertDone;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapSettings;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What has gone can be collected, whatever else goes on: else no class loader of a bundle that was replaced could be.
 */
final class NothingLeftTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final HeldProgram held = new HeldProgram();
    private final RdmaRpcTransport server = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    private final RdmaRpcTransport client =
            new RdmaRpcTransport(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());

    @AfterEach
    void end() {
        client.close();
        server.close();
        fabric.awaitAllEnded();
    }

    private RpcListener listen() throws IOException {
        return server.listen(TransportPair.listenOptions(16, Map.of()), held.program);
    }

    private static void assertCollected(WeakReference<?> reference) {
        await(() -> {
            System.gc();
            return reference.get() == null;
        });
    }

    @Test
    @DisplayName("a framing and a provider that have gone are not kept, though calls under way on them wait to go on")
    void shouldForgetServicesThatHaveGone() throws Exception {
        RpcListener listener = listen();
        client.bindNegotiator(new PrivateDataNegotiator());
        WeakReference<Framing> framing = bindFraming();
        WeakReference<MemoryPass> provider = bindProvider();
        client.configure(new SwapSettings(Duration.ZERO, false));
        RpcConnection connection =
                client.connect(TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
        TransportPair.callNull(connection);
        CompletableFuture<String> call = HeldProgram.call(connection, 1);
        held.next();
        unbind(framing, provider);
        assertCollected(framing);
        assertCollected(provider);
        client.bindFraming(new VersionOneFraming());
        client.bindProvider(fabric);
        held.next().run();
        assertDone(call);
    }

    @Test
    @DisplayName("the framing of a version that the server refused is not kept while the connection lasts in another")
    void shouldForgetTheFramingOfARefusedVersion() throws Exception {
        RdmaRpcTransport old = TransportPair.transport(TransportLimits.DEFAULT, fabric);
        try {
            RpcListener listener = old.listen(TransportPair.listenOptions(16, Map.of()), held.program);
            client.bindProvider(fabric);
            client.bindFraming(new VersionOneFraming());
            WeakReference<Framing> refused = bindFraming(new VersionTwoFraming());
            RpcConnection connection = client.connect(
                    TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            TransportPair.callNull(connection);
            assertThat(connection.settings()).containsEntry("version", "1");

            client.unbindFraming(refused.get());
            assertCollected(refused);
            TransportPair.callNull(connection);
        } finally {
            old.close();
        }
    }

    private WeakReference<Framing> bindFraming() {
        return bindFraming(new VersionOneFraming());
    }

    private WeakReference<Framing> bindFraming(Framing passing) {
        client.bindFraming(passing);
        return new WeakReference<>(passing);
    }

    private WeakReference<MemoryPass> bindProvider() {
        MemoryPass passing = new MemoryPass(fabric, () -> {});
        client.bindProvider(passing);
        return new WeakReference<>(passing);
    }

    private void unbind(WeakReference<Framing> framing, WeakReference<MemoryPass> provider) {
        client.unbindFraming(framing.get());
        client.unbindProvider(provider.get());
    }

    @Test
    @DisplayName("who made calls by a connection that is closed is not kept, though their time is not over")
    void shouldForgetWhoHasClosed() throws Exception {
        RpcListener listener = listen();
        client.bindProvider(fabric);
        client.bindFraming(new VersionOneFraming());
        assertCollected(connectAndClose(listener));
    }

    private WeakReference<ConnectionObserver> connectAndClose(RpcListener listener) throws Exception {
        ConnectionObserver observer = new ConnectionObserver() {};
        RpcConnection connection =
                client.connect(TransportPair.options(listener.localAddress(), 8, observer, Map.of()));
        var unused = connection.call(HeldProgram.message(1).timeout(Duration.ofHours(1)), in -> "done");
        held.next();
        connection.close();
        return new WeakReference<>(observer);
    }
}
