package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A client below which services go and come, and a server whose calls the test has answered. */
abstract class SwapFixture {
    static final Duration LONG = Duration.ofSeconds(20);

    final MemoryFabric fabric = new MemoryFabric();
    final HeldProgram held = new HeldProgram();
    final Framing one = new VersionOneFraming();
    final Framing two = new VersionTwoFraming();
    final RdmaRpcTransport server = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    final RdmaRpcTransport client =
            new RdmaRpcTransport(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
    RpcListener listener;

    @BeforeEach
    void begin() throws Exception {
        client.bindProvider(fabric);
        client.bindFraming(one);
        client.bindFraming(two);
        client.bindNegotiator(new PrivateDataNegotiator());
        listener = server.listen(TransportPair.listenOptions(16, Map.of()), held.program);
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

    RpcConnection connect() throws IOException {
        return client.connect(TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
    }

    RpcConnection connect(Duration recovery, Duration service) throws IOException {
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
    CompletableFuture<String> underWay(RpcConnection connection, int serial) throws Exception {
        TransportPair.callNull(connection); // brings credits
        return call(connection, serial);
    }

    static void assertVersion(RpcConnection connection, int version) {
        assertThat(connection.settings()).containsEntry("version", Integer.toString(version));
    }

    static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
