package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that break at any moment while calls of every kind are under way. */
final class LossTest {
    private static final int CALLS = 400;

    @ParameterizedTest
    @CsvSource({"memory,ONE", "direct,ONE", "iwarp,ONE", "memory,TWO", "direct,TWO", "iwarp,TWO"})
    @Proves({"V1-5.5-6", "V1-5.4.1-2", "BI-4.3.1-2", "CM-4-2"})
    @DisplayName("every call is answered with its own data though connections break")
    void shouldAnswerEveryCallThoughConnectionsBreak(String provider, Version version) throws Exception {
        Set<RpcPeer> peers = ConcurrentHashMap.newKeySet();
        EchoProgram program = new EchoProgram(Runnable::run, peers);
        Random random = new Random(42);
        AtomicInteger lost = new AtomicInteger();
        AtomicInteger made = new AtomicInteger();
        ConnectionObserver observer = new ConnectionObserver() {
            @Override
            public void lost(Throwable cause) {
                lost.incrementAndGet();
            }

            @Override
            public void reconnected(int attempt) {
                made.incrementAndGet();
            }
        };
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcListener listener = rig.listen(program, 16, Map.of());
            RpcConnection connection =
                    rig.client.connect(TransportPair.options(listener.localAddress(), 12, observer, version.options()));
            List<CompletableFuture<Void>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(call(connection, i, random));
                if (i % 20 == 19) {
                    calls.get(random.nextInt(calls.size())).get(20, TimeUnit.SECONDS);
                    peers.forEach(RpcPeer::disconnect);
                }
            }
            for (CompletableFuture<Void> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
            assertThat(program.executed).hasSize(CALLS);
            int executed = program.executed.values().stream()
                    .mapToInt(AtomicInteger::get)
                    .sum();
            assertThat(rig.clientCount(Counter.RETRANSMISSIONS)).isGreaterThanOrEqualTo(executed - CALLS);
            assertThat(rig.clientCount(Counter.REPLIES)).isEqualTo(CALLS);
            assertThat(rig.clientCount(Counter.RECONNECTS)).isPositive();
            assertThat(lost).hasPositiveValue();
            rig.assertFenced();
        }
        assertThat(made.get()).isLessThanOrEqualTo(lost.get());
    }

    private static CompletableFuture<Void> call(RpcConnection connection, int serial, Random random) {
        int streamLength = random.nextInt(3) == 0 ? random.nextInt(6000) : random.nextInt(100);
        int dataLength = random.nextInt(3) == 0 ? random.nextInt(200_000) : random.nextInt(5000);
        byte[] data = EchoProgram.bytes(serial, dataLength);
        byte[] stream = EchoProgram.bytes(-serial, streamLength);
        ByteBuffer sink = ByteBuffer.allocate(dataLength);
        RpcCall call = TransportPair.call(EchoProgram.ECHO).expectData(sink).maxReplySize(streamLength + 64);
        call.arguments().putInt(serial).putOpaque(stream).putData(ByteBuffer.wrap(data));
        return connection.call(call, in -> {
            assertThat(in.getOpaque(EchoProgram.MAX)).isEqualTo(stream);
            in.getDataInto(sink);
            in.requireEnd();
            assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(data));
            return null;
        });
    }
}
