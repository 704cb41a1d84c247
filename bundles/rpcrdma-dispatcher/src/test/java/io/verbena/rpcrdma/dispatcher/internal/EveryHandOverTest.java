package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.verbena.conformance.HandOvers;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * An Error at any one hand-over between two transports and the provider, the framing, the negotiator, the program and
 * the decoder: each call ends before its time is over, nothing is left behind, and the next calls go.
 */
class EveryHandOverTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final long CALL_SECONDS = 20;
    private static final int CREDITS = 2;

    private interface Step {
        void run() throws Exception;
    }

    @TestFactory
    Stream<DynamicTest> shouldEndExactlyWhatAnErrorConcernsInVersionOne() {
        return all("1");
    }

    @TestFactory
    Stream<DynamicTest> shouldEndExactlyWhatAnErrorConcernsInVersionTwo() {
        return all("2");
    }

    private static Stream<DynamicTest> all(String version) {
        int handOvers = assertTimeoutPreemptively(BOUND, () -> runWithFailureAt(0, version));
        assertThat(handOvers).isGreaterThan(60);
        return IntStream.rangeClosed(1, handOvers)
                .mapToObj(number -> DynamicTest.dynamicTest(
                        "hand-over " + number,
                        () -> assertTimeoutPreemptively(
                                BOUND, () -> runWithFailureAt(number, version), () -> "hand-over " + number)));
    }

    /** How many hand-overs there were. */
    private static int runWithFailureAt(int number, String version) throws Exception {
        // memory of the fabric has to be its own; what a handler throws is the provider's to deal with
        HandOvers handOvers = new HandOvers()
                .leaving(MemoryRegion.class, ConnectionHandler.class, BufferLease.class)
                .sparing(ConnectionAcceptor.class);
        MemoryFabric fabric = MemoryFabric.ofDevices();
        DirectMemory memory = new DirectMemory(64 << 20);
        MemoryBudget budget = handOvers.through(MemoryBudget.class, memory);
        Map<String, String> options = Map.of("inline", "4096", "rpcrdma", version);
        int passed;
        try (RdmaRpcTransport client = transport(handOvers, fabric, budget);
                RdmaRpcTransport server = transport(handOvers, fabric, budget)) {
            RpcTransport connecting = handOvers.through(RpcTransport.class, client);
            RpcProgram program = handOvers.through(RpcProgram.class, new EchoProgram());
            RpcListener listener = server.listen(TransportPair.listenOptions(CREDITS, options), program);
            handOvers.failAt(number);
            RpcConnection[] connection = new RpcConnection[1];
            attempt(() -> connection[0] = connecting.connect(
                    TransportPair.options(listener.localAddress(), CREDITS, ConnectionObserver.NONE, options)));
            if (connection[0] != null) {
                attempt(() -> use(connection[0]));
            }
            passed = handOvers.passed();
            handOvers.failAt(0);
            if (connection[0] == null || !connection[0].isOpen()) {
                connection[0] = client.connect(
                        TransportPair.options(listener.localAddress(), CREDITS, ConnectionObserver.NONE, options));
            }
            requireWhole(connection[0]);
            assertThat(TransportPair.count(client, "registrations")).isZero();
            assertThat(TransportPair.count(server, "registrations")).isZero();
        }
        fabric.awaitAllEnded();
        assertThat(memory.holdings()).isEmpty();
        assertThat(memory.leasedBytes()).isZero();
        memory.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("rpcrdma-") || name.startsWith("memory-rdma-"));
        return passed;
    }

    private static RdmaRpcTransport transport(HandOvers handOvers, MemoryFabric fabric, MemoryBudget budget) {
        return new RdmaRpcTransport(
                new SystemRuntime(),
                TransportLimits.DEFAULT,
                budget,
                handOvers.through(RdmaProvider.class, fabric),
                List.of(
                        handOvers.through(Framing.class, new VersionTwoFraming()),
                        handOvers.through(Framing.class, new VersionOneFraming())),
                handOvers.through(ConnectionNegotiator.class, new PrivateDataNegotiator()));
    }

    private static void attempt(Step step) throws Exception {
        try {
            step.run();
        } catch (IOException | IllegalStateException | OutOfMemoryError e) {
            assertThat(e).isNotInstanceOf(CallTimedOutException.class);
        }
    }

    /** Each way that a call and a reply can travel, one after the other and side by side. */
    private static void use(RpcConnection connection) throws Exception {
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int[] sizes : new int[][] {{100, 100}, {100, 70_000}, {6000, 9000}}) {
            attempt(() -> calls.add(echo(connection, sizes[0], sizes[1])));
        }
        attempt(() -> calls.add(connection.call(TransportPair.call(EchoProgram.THROW), in -> "done")));
        attempt(() -> calls.add(connection.call(TransportPair.call(EchoProgram.NULL), in -> "done")));
        for (CompletableFuture<?> call : calls) {
            end(call);
        }
    }

    private static void end(CompletableFuture<?> call) throws Exception {
        try {
            call.get(CALL_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isNotInstanceOf(CallTimedOutException.class);
        }
    }

    private static CompletableFuture<byte[]> echo(RpcConnection connection, int streamLength, int dataLength) {
        ByteBuffer sink = ByteBuffer.allocateDirect(dataLength);
        RpcCall call = TransportPair.call(EchoProgram.ECHO);
        call.arguments()
                .putInt(1)
                .putOpaque(EchoProgram.bytes(1, streamLength))
                .putData(ByteBuffer.wrap(EchoProgram.bytes(2, dataLength)));
        call.expectData(sink).maxReplySize(streamLength + 64);
        return connection.call(call, in -> {
            byte[] got = in.getOpaque(EchoProgram.MAX);
            assertThat(in.getDataInto(sink)).isEqualTo(dataLength);
            return got;
        });
    }

    /** What came behind the failure goes as if there had been none, with all credits. */
    private static void requireWhole(RpcConnection connection) throws Exception {
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 4 * CREDITS; i++) {
            calls.add(echo(connection, 3000, 20_000));
        }
        for (CompletableFuture<byte[]> call : calls) {
            assertThat(call.get(CALL_SECONDS, TimeUnit.SECONDS)).hasSize(3000);
        }
    }
}
