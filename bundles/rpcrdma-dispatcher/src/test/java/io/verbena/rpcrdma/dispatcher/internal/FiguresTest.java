package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.TransferSizes;
import io.verbena.rpc.TransferSizes.Way;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the transport tells of itself is what it does. */
class FiguresTest {
    private static final int[][] SIZES = {
        {1, 1}, {100, 100}, {100, 3900}, {100, 4001}, {100, 65537}, {100, 1 << 20}, {5000, 7}, {5000, 100001}
    };

    @ParameterizedTest
    @CsvSource({"memory, 1", "memory, 2", "iwarp, 1"})
    void shouldExplainWhatItDoes(String provider, String version) throws Exception {
        Set<Way> calls = EnumSet.noneOf(Way.class);
        Set<Way> replies = EnumSet.noneOf(Way.class);
        TransportLimits limits = TransportLimits.DEFAULT.withSegments(50_000, 50_000);
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider), limits, TransportLimits.DEFAULT)) {
            RpcConnection connection =
                    rig.connect(rig.listen(new EchoProgram()), 4, Map.of("inline", "4096", "rpcrdma", version));
            TransportPair.callNull(connection); // settles the version
            for (int[] sizes : SIZES) {
                RpcCall call = echo(sizes[0], sizes[1]);
                TransferSizes plan = connection.explain(CallShape.of(call)).orElseThrow();
                Map<String, Long> before = counters(rig);
                connection
                        .call(
                                call,
                                in -> in.getOpaque(EchoProgram.MAX).length
                                        + in.getData(EchoProgram.MAX).remaining())
                        .get(10, TimeUnit.SECONDS);
                check(plan, sizes[1], before, counters(rig));
                calls.add(plan.call());
                replies.add(plan.reply());
            }
        }
        assertThat(calls).contains(Way.INLINE, Way.CHUNK, Way.LONG);
        assertThat(replies).contains(Way.INLINE, Way.CHUNK, Way.LONG);
    }

    @Test
    void shouldNotTakeTheLargestReplyForOneThatFits() throws Exception {
        try (TransportPair rig = new TransportPair(new MemoryFabric())) {
            RpcConnection connection = rig.connect(rig.listen(new EchoProgram()));
            CallShape shape = new CallShape(100, 0, Integer.MAX_VALUE, 0);
            assertThat(connection.explain(shape)).hasValueSatisfying(plan -> {
                assertThat(plan.reply()).isNotEqualTo(Way.INLINE);
                assertThat(plan.replyOctets()).isGreaterThan(Integer.MAX_VALUE);
            });
        }
    }

    private static RpcCall echo(int streamLength, int dataLength) {
        RpcCall call = TransportPair.call(EchoProgram.ECHO);
        ByteBuffer data = ByteBuffer.allocateDirect(dataLength);
        call.arguments().putInt(1).putOpaque(new byte[streamLength]).putData(data);
        return call.expectData(ByteBuffer.allocateDirect(dataLength)).maxReplySize(streamLength + 64);
    }

    private static void check(TransferSizes plan, int dataLength, Map<String, Long> before, Map<String, Long> after) {
        long readChunks = after.get("readChunkBytes") - before.get("readChunkBytes");
        long sent = after.get("inlineSentBytes") - before.get("inlineSentBytes");
        long made = after.get("registrationsMade") - before.get("registrationsMade");
        assertThat(made).isEqualTo(plan.registrations());
        assertThat(plan.callOctets() <= plan.callThreshold()).isEqualTo(plan.call() == Way.INLINE);
        switch (plan.call()) {
            case INLINE -> {
                assertThat(readChunks).isZero();
                assertThat(sent).isEqualTo(plan.callOctets());
            }
            case CHUNK -> assertThat(readChunks).isEqualTo(dataLength);
            default -> assertThat(readChunks).isGreaterThan(dataLength);
        }
        assertThat(plan.readSegments() > 0).isEqualTo(readChunks > 0);
        long written = after.get("writeChunkBytes") - before.get("writeChunkBytes");
        assertThat(written).isEqualTo(plan.writeSegments() > 0 ? dataLength : 0);
        long byReplyChunk = after.get("replyChunkBytes") - before.get("replyChunkBytes");
        assertThat(byReplyChunk > 0).isEqualTo(plan.reply() == Way.LONG);
    }

    private static Map<String, Long> counters(TransportPair rig) {
        return rig.client.connections().get(0).counters();
    }

    @Test
    void shouldTellCreditsAndWhatWaitsForThem() throws Exception {
        HeldProgram program = new HeldProgram();
        try (TransportPair rig = new TransportPair(new MemoryFabric())) {
            RpcConnection connection =
                    rig.connect(rig.listen(program.program, 2, Map.of()), 8, Map.of("label", "docs"));
            List<CompletableFuture<String>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                calls.add(HeldProgram.call(connection, i));
            }
            program.next().run(); // whose reply grants two
            HeldProgram.assertDone(calls.get(0));
            calls.add(HeldProgram.call(connection, 3));
            Runnable second = program.next();
            Runnable third = program.next(); // both have come, so both credits are in use

            ConnectionStatus status = rig.client.connections().get(0);
            assertThat(status.settings()).containsEntry("label", "docs");
            assertThat(status.gauges())
                    .containsEntry("creditsGranted", 2L)
                    .containsEntry("creditsInUse", 2L)
                    .containsEntry("callsWaiting", 1L);
            second.run();
            third.run();
            program.next().run();
            calls.forEach(HeldProgram::assertDone);
            ConnectionStatus later = rig.client.connections().get(0);
            assertThat(later.gauges()).containsEntry("creditsInUse", 0L).containsEntry("callsWaiting", 0L);
            assertThat(later.durations().get("roundTrip").count()).isEqualTo(4);
            assertThat(later.durations().get("waiting").count()).isEqualTo(4);
            assertThat(later.durations().get("waiting").maxNanos()).isPositive();
        }
    }

    @Test
    void shouldTellOfConnectionsThatComeAndGo() throws Exception {
        AtomicInteger told = new AtomicInteger();
        try (TransportPair rig = new TransportPair(new MemoryFabric())) {
            rig.client.bindConnectionListener(told::incrementAndGet);
            rig.client.bindConnectionListener(() -> {
                throw new IllegalStateException("a listener of no use");
            });
            CountDownLatch accepted = new CountDownLatch(1);
            rig.server.bindConnectionListener(accepted::countDown);
            RpcListener listener = rig.listen(new EchoProgram());
            RpcConnection connection = rig.connect(listener);
            assertThat(told).hasValue(1);
            assertThat(accepted.await(10, TimeUnit.SECONDS)).isTrue();
            connection.close();
            assertThat(told).hasValue(2);
        }
    }

    @Test
    void shouldSayWhyItSpeaksAVersion() throws Exception {
        try (TransportPair rig = new TransportPair(new MemoryFabric())) {
            RpcListener listener = rig.listen(new EchoProgram());
            RpcConnection asked = rig.connect(listener, 4, Map.of("rpcrdma", "1"));
            RpcConnection auto = rig.connect(listener);
            assertThat(auto.settings().get("versionChoice")).contains("not answered yet");
            TransportPair.callNull(auto);

            assertThat(asked.settings()).containsEntry("versionChoice", "asked for");
            assertThat(auto.settings().get("versionChoice")).startsWith("auto: the highest");
        }
    }
}
