package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.DirectionClassifier;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long messages of Version Two may be where private data has told what the ends can do. */
final class VersionTwoThresholdTest {
    private static final int XID = 0x1234;
    private static final int HEADER = 32; // without chunks
    private static final int CALL = 0;
    private static final int REPLY = 1;

    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);

    @AfterEach
    void close() {
        transport.close();
        fabric.awaitAllEnded();
    }

    /** Of a peer that can both send and receive so much. */
    private static byte[] privateData(int size) {
        return new PrivateDataNegotiator().privateData(new LocalSettings(size, size, false));
    }

    private static CompletableFuture<String> call(RpcConnection connection, int arguments) {
        RpcCall call = TransportPair.call(EchoProgram.NULL).maxReplySize(100);
        call.arguments().putFixedOpaque(new byte[arguments]);
        return connection.call(call, in -> "done");
    }

    private static void answer(RawPeer server, Message message, CompletableFuture<String> call) throws Exception {
        server.send(Wire.header(2, message.xid(), 4, Wire.MSG)
                .words(REPLY, 0, 0, 0)
                .accepted(message.xid())
                .done());
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @ParameterizedTest
    @CsvSource({"1024, 4096", "4096, 4096", "8192, 8192"})
    @Proves("V2-5.1-1")
    @DisplayName("a call goes inline up to 4096 octets, or what private data gave where that is larger")
    void shouldCallWithinTheLargerThreshold(int told, int threshold) throws Exception {
        try (RawPeer.Listener listener = new RawPeer.Listener(fabric, privateData(told))) {
            Map<String, String> options = Map.of("rpcrdma", "2", "inline", "8192");
            RpcConnection connection =
                    transport.connect(TransportPair.options(listener.address(), 4, ConnectionObserver.NONE, options));
            RawPeer server = listener.next();
            CompletableFuture<String> first = call(connection, 0);
            answer(server, server.next(), first);

            int longest = threshold - HEADER - DirectionClassifier.MIN_CALL;
            CompletableFuture<String> inline = call(connection, longest);
            Message whole = server.next();
            assertThat(whole.octets().capacity()).isEqualTo(threshold);
            assertThat(whole.word(3)).as("rdma_proc").isEqualTo(Wire.MSG);
            answer(server, whole, inline);

            CompletableFuture<String> tooLong = call(connection, longest + 4);
            Message moved = server.next();
            assertThat(moved.word(3)).as("rdma_proc").isEqualTo(Wire.NOMSG);
            answer(server, moved, tooLong);
        }
    }

    @ParameterizedTest
    @CsvSource({"1024, 4096", "4096, 4096", "8192, 8192"})
    @Proves("V2-5.1-1")
    @DisplayName("the same of a reply")
    void shouldReplyWithinTheLargerThreshold(int told, int threshold) throws Exception {
        CallingProgram program = new CallingProgram();
        RpcListener listener = transport.listen(TransportPair.listenOptions(64, Map.of("inline", "8192")), program);
        RawPeer client = RawPeer.connect(fabric, listener.localAddress(), privateData(told));
        int longest = threshold - HEADER - 24;
        Message whole = replyTo(client, program, longest);
        assertThat(whole.octets().capacity()).isEqualTo(threshold);
        assertThat(whole.word(3)).as("rdma_proc").isEqualTo(Wire.MSG);
        assertThat(replyTo(client, program, longest + 4).word(3))
                .as("rdma_proc")
                .isEqualTo(Wire.ERROR);
    }

    private static Message replyTo(RawPeer client, CallingProgram program, int results) throws Exception {
        client.send(Wire.header(2, XID, 4, Wire.MSG)
                .words(CALL, 0, 0, 0)
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, 9)
                .done());
        RpcRequest request = program.next();
        request.results().putFixedOpaque(new byte[results]);
        request.reply();
        return client.next();
    }
}
