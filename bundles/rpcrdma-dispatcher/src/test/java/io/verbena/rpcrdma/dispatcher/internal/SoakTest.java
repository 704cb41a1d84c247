package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Random calls from several threads, with sizes around every boundary and thresholds of every kind. */
final class SoakTest {
    private static final int THREADS = 3;
    private static final int CALLS = 250;

    static Stream<Arguments> runs() {
        List<String> providers = List.of("memory", "device", "direct", "iwarp", "iwarp");
        return IntStream.range(0, 20)
                .mapToObj(seed -> Arguments.of(
                        providers.get(seed % providers.size()), seed % 2 == 0 ? Version.ONE : Version.TWO, seed));
    }

    @ParameterizedTest
    @MethodSource("runs")
    @Proves({"V1-4.3.1-1", "V1-5.1.4-2", "V1-4.3-5", "CM-3.1-1", "CM-4.2-2"})
    @DisplayName("random calls bring back what they took")
    void shouldBringBackWhatWasTaken(String provider, Version version, int seed) throws Exception {
        Random random = new Random(seed);
        ExecutorService executor = Executors.newFixedThreadPool(2);
        EchoProgram program = random.nextBoolean() ? new EchoProgram() : new EchoProgram(executor);
        TransportLimits server = limits(random);
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider), limits(random), server)) {
            RpcConnection connection = rig.connect(
                    rig.listen(program, 1 + random.nextInt(20), options(random, version)),
                    1 + random.nextInt(30),
                    version.options(options(random, version)));
            TransportPair.callNull(connection); // the thresholds of Version Two hold from its reply on
            int[] thresholds = {
                Integer.parseInt(connection.settings().get("callThreshold")),
                Integer.parseInt(connection.settings().get("replyThreshold"))
            };
            List<CompletableFuture<Void>> workers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random own = new Random(random.nextLong());
                workers.add(CompletableFuture.runAsync(() -> work(connection, own, thresholds)));
            }
            for (CompletableFuture<Void> worker : workers) {
                worker.get(60, TimeUnit.SECONDS);
            }
            assertThat(rig.clientCount(Counter.REPLIES)).isEqualTo(1 + THREADS * CALLS);
            assertThat(rig.clientCount(Counter.RECONNECTS)).isZero();
            rig.assertFenced();
        } finally {
            executor.shutdownNow();
        }
    }

    private static TransportLimits limits(Random random) {
        int segment = random.nextBoolean() ? 1 << 30 : 4096 * (1 + random.nextInt(20));
        TransportLimits plain = TransportLimits.DEFAULT;
        // with so little, replies wait for room in the send queue, and calls for others to give back what they pulled
        return new TransportLimits(
                plain.receiveMargin(),
                plain.reverseCredits(),
                plain.maxReverseCall(),
                random.nextBoolean() ? plain.workQueueDepth() : 64,
                segment,
                random.nextBoolean() ? 1 << 20 : 3000 + random.nextInt(9000),
                random.nextBoolean() ? plain.pullBudget() : 60_000,
                random.nextBoolean() ? plain.poolIdle() : 0,
                plain.versionsKept(),
                plain.reconnects());
    }

    /** With an inline threshold that the version is spoken with. */
    private static Map<String, String> options(Random random, Version version) {
        int inline = version.inlineThreshold() + 1024 * random.nextInt(8);
        return Map.of("inline", Integer.toString(inline), "invalidate", random.nextBoolean() ? "on" : "off");
    }

    private static void work(RpcConnection connection, Random random, int[] thresholds) {
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.add(call(connection, random, size(random, thresholds), size(random, thresholds)));
            if (random.nextInt(8) == 0) {
                calls.forEach(CompletableFuture::join);
                calls.clear();
            }
        }
        calls.forEach(CompletableFuture::join);
    }

    private static int size(Random random, int[] thresholds) {
        int threshold = thresholds[random.nextInt(2)];
        return switch (random.nextInt(5)) {
            case 0 -> random.nextInt(20);
            case 1, 2 -> Math.max(0, threshold - random.nextInt(200));
            case 3 -> threshold + random.nextInt(10);
            default -> random.nextInt(70_000);
        };
    }

    private static CompletableFuture<Void> call(
            RpcConnection connection, Random random, int streamLength, int dataLength) {
        byte[] stream = EchoProgram.bytes(random.nextInt(), streamLength);
        byte[] data = EchoProgram.bytes(random.nextInt(), dataLength);
        int spare = random.nextInt(3) * 100;
        ByteBuffer sink = random.nextBoolean()
                ? ByteBuffer.allocate(dataLength + spare)
                : ByteBuffer.allocateDirect(dataLength + spare);
        RpcCall call = TransportPair.call(EchoProgram.ECHO).maxReplySize(streamLength + 40 + random.nextInt(2) * 100);
        call.arguments().putInt(0).putOpaque(stream).putData(ByteBuffer.wrap(data));
        call.expectData(sink);
        return connection.call(call, in -> {
            assertThat(in.getOpaque(EchoProgram.MAX)).isEqualTo(stream);
            assertThat(in.getDataInto(sink)).isEqualTo(dataLength);
            in.requireEnd();
            assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(data));
            return null;
        });
    }
}
