package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The steering tags that a requester shows to a responder that may invalidate one of them with each reply. */
final class ExposedTagsTest {
    /** Where the handles stand in the header of a call with a chunk of each kind: Position Zero, data, sink, reply. */
    private static final int[] HANDLES = {6, 12, 19, 26};

    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport transport = TransportPair.transport(TransportLimits.DEFAULT, fabric);

    @AfterEach
    void close() {
        transport.close();
        fabric.awaitAllEnded();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    @Proves("CM-4.1-3")
    @DisplayName("all that is exposed is the call's own, and any of it may be invalidated by the reply")
    void shouldExposeNothingThatMustNotBeInvalidated(int which) throws Exception {
        byte[] privateData = new PrivateDataNegotiator().privateData(new LocalSettings(4096, 4096, true));
        try (RawPeer.Listener listener = new RawPeer.Listener(fabric, privateData)) {
            RpcConnection connection =
                    transport.connect(TransportPair.options(listener.address(), 4, ConnectionObserver.NONE, Map.of()));
            RawPeer server = listener.next();
            assertThat(connection.settings()).containsEntry("remoteInvalidation", "on");
            ByteBuffer sink = ByteBuffer.allocateDirect(9000);
            RpcCall call = TransportPair.call(EchoProgram.ECHO).expectData(sink).maxReplySize(6000);
            call.arguments().putOpaque(new byte[5000]).putData(ByteBuffer.allocateDirect(2000));
            CompletableFuture<Integer> future = connection.call(call, in -> in.getDataInto(sink));

            Message sent = server.next();
            assertThat(sent.words()).isEqualTo(30);
            assertThat(Arrays.stream(HANDLES).map(sent::word).toArray())
                    .as("handles")
                    .doesNotHaveDuplicates()
                    .doesNotContain(0);
            assertThat(TransportPair.count(transport, "registrations")).isEqualTo(HANDLES.length);

            server.sendInvalidating(unusedChunks(sent), sent.word(HANDLES[which]));
            assertThat(future.get(10, TimeUnit.SECONDS)).isZero();
            assertThat(server.isConnected()).isTrue();
            assertThat(TransportPair.count(transport, "registrations")).isZero();
        }
    }

    /** A short reply, for which nothing was written. */
    private static ByteBuffer unusedChunks(Message call) {
        return Version.ONE
                .reply(call.xid(), 4, Wire.MSG)
                .words(0)
                .words(1, 1)
                .segment(call.word(HANDLES[2]), 0, 0)
                .words(0, 1, 1)
                .segment(call.word(HANDLES[3]), 0, 0)
                .accepted(call.xid())
                .words(0)
                .done();
    }
}
