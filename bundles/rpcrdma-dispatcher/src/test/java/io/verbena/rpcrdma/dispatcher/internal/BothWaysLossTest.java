package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many calls of every kind in both directions at once, on connections that break at any moment. */
final class BothWaysLossTest {
    private static final int ROUNDS = 150;
    private static final int ROUND = 6;

    private final AtomicInteger serial = new AtomicInteger();

    /** Either end of a connection. */
    private interface Caller {
        <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder);
    }

    @ParameterizedTest
    @CsvSource({
        "memory, 1, true",
        "memory, 2, false",
        "direct, 1, true",
        "iwarp, 1, false",
        "iwarp, 1, true",
        "iwarp, 2, false",
        "iwarp, 2, true"
    })
    @Proves({"BI-4.1-1", "BI-5.4-1", "BI-4.3.1-2", "BI-5.3-1"})
    @DisplayName("calls both ways bring their own data, though connections break: forward ones all, reverse ones or "
            + "they fail, executed no more than once")
    void shouldCarryBothDirectionsThoughConnectionsBreak(String provider, String version, boolean cut)
            throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        Set<RpcPeer> peers = ConcurrentHashMap.newKeySet();
        EchoProgram program = new EchoProgram(executor, peers);
        EchoProgram reverse = new EchoProgram();
        Random random = new Random(version.hashCode() * 31L + provider.hashCode());
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcListener listener = rig.listen(program, 10, Map.of());
            RpcConnection connection = rig.client.connect(TransportPair.options(
                    listener.localAddress(),
                    9,
                    ConnectionObserver.NONE,
                    Optional.of(reverse),
                    Map.of("rpcrdma", version)));
            List<CompletableFuture<Void>> forward = new ArrayList<>();
            List<CompletableFuture<Void>> back = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < ROUND; i++) {
                    forward.add(call(connection::call, random));
                    peers.forEach(peer -> back.add(call(peer::call, random)));
                }
                if (random.nextInt(3) == 0) {
                    forward.get(random.nextInt(forward.size())).get(20, TimeUnit.SECONDS);
                }
                if (cut && random.nextInt(8) == 0) {
                    peers.forEach(RpcPeer::disconnect);
                }
            }
            for (CompletableFuture<Void> call : forward) {
                call.get(20, TimeUnit.SECONDS);
            }
            int failed = 0;
            for (CompletableFuture<Void> call : back) {
                Throwable failure = call.handle((value, thrown) -> thrown).get(20, TimeUnit.SECONDS);
                assertThat(failure).satisfiesAnyOf(none -> assertThat(none).isNull(), thrown -> assertThat(thrown)
                        .isInstanceOf(TransportLostException.class));
                failed += failure == null ? 0 : 1;
            }
            assertThat(forward).hasSize(ROUNDS * ROUND);
            assertThat(back).hasSizeGreaterThan(failed);
            assertThat(reverse.executed.values()).allMatch(times -> times.get() == 1);
            assertThat(rig.clientCount(Counter.REPLIES)).isEqualTo(forward.size());
            if (!cut) {
                assertThat(failed).isZero();
                assertThat(rig.clientCount(Counter.RECONNECTS)).isZero();
                assertThat(rig.clientCount(Counter.REVERSE_REPLIES)).isEqualTo(back.size());
            }
            rig.assertFenced();
        } finally {
            executor.shutdownNow();
        }
    }

    private CompletableFuture<Void> call(Caller caller, Random random) {
        int number = serial.incrementAndGet();
        int streamLength = random.nextInt(3) == 0 ? random.nextInt(6000) : random.nextInt(100);
        int dataLength = random.nextInt(3) == 0 ? random.nextInt(100_000) : random.nextInt(5000);
        byte[] data = EchoProgram.bytes(number, dataLength);
        byte[] stream = EchoProgram.bytes(-number, streamLength);
        ByteBuffer sink = ByteBuffer.allocate(dataLength);
        RpcCall call = TransportPair.call(EchoProgram.ECHO).expectData(sink).maxReplySize(streamLength + 64);
        call.arguments().putInt(number).putOpaque(stream).putData(ByteBuffer.wrap(data));
        return caller.call(call, in -> {
            assertThat(in.getOpaque(EchoProgram.MAX)).isEqualTo(stream);
            in.getDataInto(sink);
            in.requireEnd();
            assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(data));
            return null;
        });
    }
}
