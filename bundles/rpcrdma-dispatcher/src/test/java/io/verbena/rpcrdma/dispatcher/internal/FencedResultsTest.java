package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory of a call that was answered, as the decoder of its results finds it. */
final class FencedResultsTest {
    private static final int STREAM = 6000;
    private static final int DATA = 100_000;

    private final RpcCall call = TransportPair.call(EchoProgram.ECHO);
    private final ByteBuffer sink = ByteBuffer.allocateDirect(DATA);

    /** A call with chunks of every kind. */
    FencedResultsTest() {
        call.arguments()
                .putInt(1)
                .putOpaque(EchoProgram.bytes(1, STREAM))
                .putData(ByteBuffer.wrap(EchoProgram.bytes(2, DATA)));
        call.expectData(sink).maxReplySize(STREAM + 64);
    }

    /** Tells what is in reach of the peer, and then checks that all is there. */
    private ReplyDecoder<Long> registrations(RdmaRpcTransport caller) {
        return in -> {
            long registrations = TransportPair.count(caller, "registrations");
            assertThat(in.getOpaque(STREAM)).isEqualTo(EchoProgram.bytes(1, STREAM));
            assertThat(in.getDataInto(sink)).isEqualTo(DATA);
            return registrations;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "device", "iwarp"})
    @Proves({"V1-5.4.1-1", "V1-5.4.1-2", "V1-10.1-4"})
    @DisplayName("nothing of a call is registered any more when its results are decoded")
    void shouldFenceBeforeDecoding(String provider) throws Exception {
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcConnection connection = rig.connect(rig.listen(new EchoProgram()));
            CompletableFuture<Long> answered = connection.call(call, registrations(rig.client));
            assertThat(answered.get(20, TimeUnit.SECONDS)).isZero();
            assertThat(rig.clientCount(Counter.CHUNKED_CALLS)).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "device", "iwarp"})
    @Proves({"V1-5.4.1-1", "V1-5.4.1-2", "V1-10.1-4"})
    @DisplayName("the same for a reverse call")
    void shouldFenceBeforeDecodingBack(String provider) throws Exception {
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            CallingProgram program = new CallingProgram();
            RpcConnection connection = rig.connect(rig.listen(program), 64, Map.of(), new EchoProgram());
            RpcPeer peer = program.peerOf(connection.call(TransportPair.call(EchoProgram.NULL), in -> "done"));
            CompletableFuture<Long> answered = peer.call(call, registrations(rig.server));
            assertThat(answered.get(20, TimeUnit.SECONDS)).isZero();
            assertThat(rig.clientCount(Counter.RDMA_WRITE_BYTES)).isGreaterThan(DATA);
        }
    }
}
