package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Our two roles against each other: every way that a call and a reply can travel. */
final class TransferTest {
    private static final int[][] SIZES = {
        {0, 0},
        {1, 1},
        {100, 100},
        {100, 3900},
        {100, 4000},
        {100, 65537},
        {100, 1 << 20},
        {5000, 0},
        {5000, 7},
        {5000, 100001}
    };

    /** Either end of a connection. */
    private interface Caller {
        <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder);
    }

    @ParameterizedTest
    @CsvSource({"memory, 1", "iwarp, 1", "memory, 2", "iwarp, 2", "iwarp, auto"})
    void shouldCarryNull(String provider, String version) throws Exception {
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcConnection connection = rig.connect(rig.listen(new EchoProgram()), 64, Map.of("rpcrdma", version));
            for (int i = 0; i < 1000; i++) {
                assertThat(TransportPair.callNull(connection)).isEqualTo("done");
            }
            assertThat(rig.clientCount(Counter.CHUNKED_CALLS)).isZero();
            assertThat(rig.clientCount(Counter.REPLIES)).isEqualTo(1000);
        }
    }

    static Stream<Arguments> transfers() {
        return Stream.of("memory", "direct", "device", "iwarp").flatMap(provider -> Stream.of("1", "2")
                .flatMap(version -> Stream.of(
                        Arguments.of(provider, version, 1 << 30, true),
                        Arguments.of(provider, version, 1000, true),
                        Arguments.of(provider, version, 1 << 30, false))));
    }

    @ParameterizedTest
    @MethodSource("transfers")
    @Proves({
        "V1-4.4.4-1",
        "V1-4.4.4-3",
        "V1-4.4.4.1-2",
        "V1-4.4.5-1",
        "V1-4.6.3-1",
        "V1-5.2.2-1",
        "V1-5.3.3-1",
        "V1-5.3.4-1"
    })
    @DisplayName("both ends carry arguments and results of any size, whole and in several segments")
    void shouldCarryArgumentsAndResults(String provider, String version, int segment, boolean direct) throws Exception {
        TransportLimits limits = TransportLimits.DEFAULT.withSegments(segment, Math.min(segment, 1 << 20) / 3);
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider), limits, TransportLimits.DEFAULT)) {
            RpcConnection connection = rig.connect(
                    rig.listen(new EchoProgram(), 64, Map.of()), 64, Map.of("inline", "4096", "rpcrdma", version));
            for (int[] sizes : SIZES) {
                if (segment > 1000 || sizes[1] < 70000) {
                    echo(connection::call, sizes[0], sizes[1], direct);
                    rig.assertFenced();
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("transfers")
    @Proves({"BI-5.3-1", "BI-4.2-1", "V2-4.2.2-1"})
    @DisplayName("the same in the reverse direction, chunks included")
    void shouldCarryBackArgumentsAndResults(String provider, String version, int segment, boolean direct)
            throws Exception {
        TransportLimits limits = TransportLimits.DEFAULT.withSegments(segment, Math.min(segment, 1 << 20) / 3);
        CallingProgram program = new CallingProgram();
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider), TransportLimits.DEFAULT, limits)) {
            RpcConnection connection =
                    rig.connect(rig.listen(program), 64, Map.of("rpcrdma", version), new EchoProgram());
            CompletableFuture<String> forward = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
            RpcPeer peer = program.peerOf(forward);
            for (int[] sizes : SIZES) {
                if (segment > 1000 || sizes[1] < 70000) {
                    echo(peer::call, sizes[0], sizes[1], direct);
                    rig.assertFenced();
                }
            }
            assertThat(rig.clientCount(Counter.RDMA_READ_BYTES)).isPositive();
            assertThat(rig.clientCount(Counter.RDMA_WRITE_BYTES)).isPositive();
            assertThat(rig.clientCount(Counter.CALLS)).isOne();
            assertThat(rig.clientCount(Counter.RECONNECTS)).isZero();
        }
    }

    private static void echo(Caller caller, int streamLength, int dataLength, boolean direct) throws Exception {
        byte[] stream = EchoProgram.bytes(1, streamLength);
        byte[] data = EchoProgram.bytes(2, dataLength);
        ByteBuffer sink = direct ? ByteBuffer.allocateDirect(dataLength + 9) : ByteBuffer.allocate(dataLength + 9);
        sink.position(5).limit(dataLength + 5);
        RpcCall call = TransportPair.call(EchoProgram.ECHO);
        ByteBuffer source = direct ? ByteBuffer.allocateDirect(dataLength) : ByteBuffer.allocate(dataLength);
        call.arguments().putInt(1).putOpaque(stream).putData(source.put(data).flip());
        call.expectData(sink).maxReplySize(streamLength + 64);
        byte[] back = caller.call(call, in -> {
                    byte[] got = in.getOpaque(EchoProgram.MAX);
                    assertThat(in.getDataInto(sink)).isEqualTo(dataLength);
                    in.requireEnd();
                    return got;
                })
                .get(10, TimeUnit.SECONDS);
        assertThat(back).isEqualTo(stream);
        assertThat(sink.flip().position(5)).isEqualTo(ByteBuffer.wrap(data));
    }
}
