package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls in both directions of one connection, our two ends against each other (RFC 8167). */
final class BothWaysTest {
    private static final int REVERSE_CREDITS = TransportLimits.DEFAULT.reverseCredits();

    private final CallingProgram program = new CallingProgram();

    private static CompletableFuture<String> callNull(RpcConnection connection) {
        return connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
    }

    private static CompletableFuture<String> callBack(RpcPeer peer) {
        return peer.call(TransportPair.call(EchoProgram.NULL), in -> "back");
    }

    private static void await(CompletableFuture<String> call) throws Exception {
        assertThat(call.get(10, TimeUnit.SECONDS)).isNotEmpty();
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @CsvSource({"memory, 1", "device, 1", "iwarp, 1", "memory, 2", "device, 2", "iwarp, 2", "iwarp, auto"})
    @Proves({"BI-4.1-1", "V2-4.2.2-1"})
    @DisplayName("a reverse call is answered while the only forward credit is in use")
    void shouldCallBackBeforeTheReply(String provider, String version) throws Exception {
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcConnection connection =
                    rig.connect(rig.listen(program, 1, Map.of()), 1, Map.of("rpcrdma", version), new EchoProgram());
            CompletableFuture<String> forward = callNull(connection);
            RpcRequest request = program.next();
            for (int i = 0; i < 100; i++) {
                await(callBack(request.peer()));
            }
            assertThat(forward).isNotDone();
            request.reply();
            await(forward);
            assertThat(rig.clientCount(Counter.REVERSE_REPLIES)).isEqualTo(100);
            assertThat(rig.clientCount(Counter.REPLIES)).isOne();
            assertThat(TransportPair.count(rig.server, "reverseReplies")).isEqualTo(100);
            assertThat(connection.settings()).containsEntry("reverseCredits", "8");
            assertThat(rig.server.connections().get(0).settings()).containsEntry("reverseCredits", "8");
        }
    }

    /** Answers each call when a call of its own has been answered. */
    private static final class AskBack implements RpcProgram {
        @Override
        public int program() {
            return EchoProgram.PROGRAM;
        }

        @Override
        public int lowVersion() {
            return EchoProgram.VERSION;
        }

        @Override
        public int highVersion() {
            return EchoProgram.VERSION;
        }

        @Override
        public void handle(RpcRequest request) {
            var unused = callBack(request.peer()).whenComplete((back, failure) -> {
                if (failure == null) {
                    request.reply();
                } else {
                    request.fail(AcceptStatus.SYSTEM_ERR);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"memory, 1", "device, 1", "iwarp, 1", "memory, 2", "device, 2", "iwarp, 2"})
    @Proves("BI-4.1-1")
    @DisplayName("calls whose handlers call back first are answered, with one credit and with many")
    void shouldCallBackFromTheHandler(String provider, String version) throws Exception {
        for (int credits : new int[] {1, 16}) {
            try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
                RpcListener listener = rig.listen(new AskBack(), credits, Map.of());
                RpcConnection connection =
                        rig.connect(listener, credits, Map.of("rpcrdma", version), new EchoProgram());
                List<CompletableFuture<String>> calls = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    calls.add(callNull(connection));
                }
                for (CompletableFuture<String> call : calls) {
                    await(call);
                }
                assertThat(rig.clientCount(Counter.REVERSE_CALLS)).isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"memory, 1", "device, 1", "iwarp, 1", "memory, 2", "device, 2", "iwarp, 2"})
    @Proves({"BI-4.1-1", "V1-8.2.1-1"})
    @DisplayName("a reverse direction without a credit left waits, and the forward one goes on")
    void shouldExhaustTheReverseDirectionOnly(String provider, String version) throws Exception {
        CallingProgram reverse = new CallingProgram();
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcConnection connection =
                    rig.connect(rig.listen(program, 4, Map.of()), 4, Map.of("rpcrdma", version), reverse);
            RpcPeer peer = program.peerOf(callNull(connection));
            List<CompletableFuture<String>> calls = new ArrayList<>();
            calls.add(callBack(peer));
            reverse.next().reply(); // brings the grant
            await(calls.get(0));
            List<RpcRequest> held = new ArrayList<>();
            for (int i = 0; i < REVERSE_CREDITS + 5; i++) {
                calls.add(callBack(peer));
            }
            for (int i = 0; i < REVERSE_CREDITS; i++) {
                held.add(reverse.next());
            }
            for (int i = 0; i < 50; i++) {
                assertThat(program.peerOf(callNull(connection))).isSameAs(peer);
            }
            assertThat(reverse.isQuiet()).isTrue(); // the forward calls came behind them
            held.forEach(RpcRequest::reply);
            for (int i = 0; i < 5; i++) {
                reverse.next().reply();
            }
            for (CompletableFuture<String> call : calls) {
                await(call);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"memory, 1", "device, 1", "iwarp, 1", "memory, 2", "device, 2", "iwarp, 2"})
    @Proves("BI-4.1-1")
    @DisplayName("a forward direction without a credit left waits, and the reverse one goes on")
    void shouldExhaustTheForwardDirectionOnly(String provider, String version) throws Exception {
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcConnection connection =
                    rig.connect(rig.listen(program, 3, Map.of()), 12, Map.of("rpcrdma", version), new EchoProgram());
            RpcPeer peer = program.peerOf(callNull(connection));
            List<CompletableFuture<String>> calls = new ArrayList<>();
            List<RpcRequest> held = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                calls.add(callNull(connection));
            }
            for (int i = 0; i < 3; i++) {
                held.add(program.next());
            }
            List<CompletableFuture<String>> back = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                back.add(callBack(peer));
            }
            for (CompletableFuture<String> call : back) {
                await(call);
            }
            assertThat(program.isQuiet()).isTrue();
            held.forEach(RpcRequest::reply);
            for (int i = 0; i < 6; i++) {
                program.next().reply();
            }
            for (CompletableFuture<String> call : calls) {
                await(call);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"memory, 1", "device, 1", "iwarp, 1", "memory, 2", "device, 2", "iwarp, 2"})
    @Proves({"BI-5.4-1", "BI-4.3.1-2"})
    @DisplayName("reverse calls fail with their connection; the next one takes as many again")
    void shouldFailReverseCallsWithTheirConnection(String provider, String version) throws Exception {
        CallingProgram reverse = new CallingProgram();
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcConnection connection = rig.connect(rig.listen(program), 4, Map.of("rpcrdma", version), reverse);
            RpcPeer first = program.peerOf(callNull(connection));
            CompletableFuture<String> sent = callBack(first);
            CompletableFuture<String> waits = callBack(first);
            RpcRequest request = reverse.next();
            CompletableFuture<Boolean> toldBefore = sent.handle((value, failure) -> !program.isPresent(first));
            first.disconnect();

            assertThat(program.nextGone()).isSameAs(first);
            for (CompletableFuture<String> call : List.of(sent, waits, callBack(first))) {
                assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(TransportLostException.class);
            }
            assertThat(toldBefore.get(10, TimeUnit.SECONDS)).isTrue();
            assertThat(reverse.nextGone()).isSameAs(request.peer());
            request.reply(); // to nobody

            RpcPeer second = program.peerOf(callNull(connection));
            assertThat(second).isNotSameAs(first);
            assertThat(reverse.isQuiet()).isTrue(); // nothing was sent again
            CompletableFuture<String> grant = callBack(second);
            reverse.next().reply();
            await(grant);
            List<CompletableFuture<String>> calls = new ArrayList<>();
            List<RpcRequest> held = new ArrayList<>();
            for (int i = 0; i < REVERSE_CREDITS; i++) {
                calls.add(callBack(second));
                held.add(reverse.next());
            }
            held.forEach(RpcRequest::reply);
            for (CompletableFuture<String> call : calls) {
                await(call);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "2, true", "2, false"})
    @DisplayName("a service that is replaced waits for what is under way in the reverse direction, on either end")
    void shouldDrainTheReverseDirection(String version, boolean atTheClient) throws Exception {
        MemoryFabric fabric = new MemoryFabric();
        CallingProgram reverse = new CallingProgram();
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcConnection connection = rig.connect(rig.listen(program), 4, Map.of("rpcrdma", version), reverse);
            RpcPeer peer = program.peerOf(callNull(connection));
            CompletableFuture<String> back = callBack(peer);
            RpcRequest request = reverse.next();
            RdmaRpcTransport replaced = atTheClient ? rig.client : rig.server;
            Thread swap = new Thread(() -> replaced.unbindProvider(fabric));
            swap.start();
            await(() -> swap.getState() == Thread.State.TIMED_WAITING || swap.getState() == Thread.State.TERMINATED);
            assertThat(back).isNotDone();
            request.reply();
            await(back);
            swap.join(TimeUnit.SECONDS.toMillis(10));
            assertThat(swap.isAlive()).isFalse();
            assertThat(program.nextGone()).isSameAs(peer);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a call on the end that connected goes by its connection, not by the peer of a reverse call")
    void shouldCallForwardByTheConnectionOnly(Version spoken) throws Exception {
        CallingProgram reverse = new CallingProgram();
        try (TransportPair rig = new TransportPair(new MemoryFabric())) {
            RpcConnection connection = rig.connect(rig.listen(program), 4, spoken.options(), reverse);
            CompletableFuture<String> back = callBack(program.peerOf(callNull(connection)));
            RpcRequest request = reverse.next();
            assertThatThrownBy(() -> callBack(request.peer()).get(10, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(TransportLostException.class)
                    .hasMessageContaining("forward direction");
            request.reply();
            await(back);
        }
    }
}
