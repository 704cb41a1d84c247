package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.TransportLostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls given up at any moment, beside others that are not, while connections break, too. */
final class GiveUpTest {
    private static final int CALLS = 600;

    @ParameterizedTest
    @CsvSource({
        "memory,ONE,1,false",
        "memory,ONE,2,true",
        "direct,ONE,3,true",
        "iwarp,ONE,4,false",
        "iwarp,ONE,5,true",
        "iwarp,ONE,6,true",
        "memory,TWO,7,false",
        "memory,TWO,8,true",
        "direct,TWO,9,true",
        "iwarp,TWO,10,false",
        "iwarp,TWO,11,true",
        "iwarp,TWO,12,true"
    })
    @Proves({"V1-5.4.1-2", "V1-4.3-5", "V1-10.1-1"})
    @DisplayName("memory of calls given up changes no more, and the others get their data")
    void shouldFenceWhatIsGivenUp(String provider, Version version, int seed, boolean loss) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        Set<RpcPeer> peers = ConcurrentHashMap.newKeySet();
        EchoProgram program = new EchoProgram(executor, peers);
        Random random = new Random(seed);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        List<ByteBuffer> sinks = new ArrayList<>();
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcConnection connection = rig.connect(rig.listen(program, 8, Map.of()), 8, version.options());
            List<CompletableFuture<ByteBuffer>> given = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                ByteBuffer sink = ByteBuffer.allocate(random.nextInt(40_000));
                sinks.add(sink);
                CompletableFuture<Void> call = read(connection, i, sink, random);
                calls.add(call);
                given.add(call.handle((value, failure) -> failure == null ? null : copy(sink)));
                disturb(calls, peers, random, loss && i % 50 == 49);
            }
            for (int i = 0; i < CALLS; i++) {
                await(calls.get(i));
                ByteBuffer then = given.get(i).get(1, TimeUnit.SECONDS);
                if (then != null) {
                    assertThat(sinks.get(i).clear()).isEqualTo(then);
                }
            }
            assertThat(TransportPair.callNull(connection)).isEqualTo("done");
            rig.assertFenced();
        } finally {
            executor.shutdownNow();
        }
    }

    private static void disturb(List<CompletableFuture<Void>> calls, Set<RpcPeer> peers, Random random, boolean cut) {
        if (random.nextInt(3) == 0) {
            calls.get(calls.size() - 1 - random.nextInt(Math.min(calls.size(), 6)))
                    .cancel(true);
        }
        if (random.nextInt(12) == 0) {
            CompletableFuture<Void> some = calls.get(random.nextInt(calls.size()));
            some.handle((value, failure) -> null).join();
        }
        if (cut) {
            peers.forEach(RpcPeer::disconnect);
        }
    }

    private static ByteBuffer copy(ByteBuffer sink) {
        ByteBuffer all = sink.duplicate().clear();
        return ByteBuffer.allocate(all.capacity()).put(all).flip();
    }

    private static CompletableFuture<Void> read(RpcConnection connection, int serial, ByteBuffer sink, Random random) {
        int length = sink.capacity();
        RpcCall call = TransportPair.call(EchoProgram.READ).expectData(sink);
        if (random.nextInt(6) == 0) {
            call.timeout(Duration.ofMillis(1 + random.nextInt(5)));
        }
        call.arguments().putInt(serial).putInt(0).putInt(length).putInt(serial);
        return connection.call(call, in -> {
            in.getOpaque(0);
            in.getDataInto(sink);
            assertThat(in.getInt()).isEqualTo(serial);
            assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(EchoProgram.bytes(serial + 1, length)));
            return null;
        });
    }

    private static void await(CompletableFuture<Void> call) throws Exception {
        Throwable failure = call.handle((value, thrown) -> thrown).get(30, TimeUnit.SECONDS);
        if (failure != null) {
            assertThat(failure)
                    .isInstanceOfAny(
                            CancellationException.class, CallTimedOutException.class, TransportLostException.class);
        }
    }
}
