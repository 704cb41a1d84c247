package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a requester moves in chunks, and what it makes of memory that a server wrote to. */
final class ChunkRulesTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport transport = Rig.transport(Tuning.DEFAULT, fabric);
    private RawPeer.Listener listener;
    private RpcConnection connection;
    private RawPeer server;

    @BeforeEach
    void connect() throws Exception {
        listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA);
        connection = transport.connect(Rig.options(listener.address(), 4, ConnectionObserver.NONE, Map.of()));
        server = listener.next();
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    private CompletableFuture<Integer> read(ByteBuffer sink) {
        return connection.call(
                Rig.call(EchoProgram.READ).expectData(sink).maxReplySize(200), in -> in.getDataInto(sink));
    }

    private static <T> T result(CompletableFuture<T> call) throws Exception {
        return call.get(10, TimeUnit.SECONDS);
    }

    @Test
    @Proves("V1-4.4.4.2-1")
    @DisplayName("the source of a Read chunk stays open, and as it is, until the reply; then it is closed")
    void shouldKeepSourcesUntilTheReply() throws Exception {
        byte[] data = EchoProgram.bytes(1, 3000);
        RpcCall call = Rig.call(EchoProgram.WRITE);
        call.arguments().putData(ByteBuffer.wrap(data));
        CompletableFuture<String> future = connection.call(call, in -> "done");
        Message sent = server.next();
        for (int i = 0; i < 3; i++) {
            assertThat(server.read(sent.word(6), sent.octets().getLong(32), 3000))
                    .isEqualTo(data);
        }
        assertThat(Rig.count(transport, "registrations")).isOne();
        server.send(Wire.nullReply(sent.xid(), 4));
        result(future);
        assertThat(Rig.count(transport, "registrations")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    @Proves("V1-4.4.5.1-2")
    @DisplayName("what the server wrote to a Write chunk and did not return is nothing")
    void shouldDisregardWhatStandsInUnusedOctets(int used) throws Exception {
        ByteBuffer sink = ByteBuffer.allocate(2000);
        CompletableFuture<Integer> future = read(sink);
        Message sent = server.next();
        server.write(sent.word(7), sent.octets().getLong(36), EchoProgram.bytes(1, 2000));
        Wire reply = Wire.header(sent.xid(), 4, Wire.MSG)
                .words(0, 1, 1)
                .segment(sent.word(7), used, 0)
                .words(0, 0)
                .accepted(sent.xid());
        byte[] inline = {1, 2, 3, 4, 5};
        server.send(
                used == 0
                        ? reply.words(5).bytes(inline).done()
                        : reply.words(used).done());
        byte[] expected = used == 0 ? inline : Arrays.copyOf(EchoProgram.bytes(1, 2000), used);
        assertThat(result(future)).isEqualTo(expected.length);
        assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(expected));
    }

    @ParameterizedTest
    @ValueSource(ints = {1001, 1002, 1003})
    @Proves("V1-4.4.5.2-3")
    @DisplayName("a Write chunk has room for the padding, which does not come into the sink")
    void shouldHaveRoomForPadding(int length) throws Exception {
        ByteBuffer memory = ByteBuffer.allocate(2000);
        ByteBuffer sink = memory.duplicate().limit(length);
        CompletableFuture<Integer> future = read(sink);
        Message sent = server.next();
        assertThat(sent.word(6)).as("segments").isEqualTo(2);
        int pad = 1004 - length;
        assertThat(sent.word(8)).isEqualTo(length);
        assertThat(sent.word(12)).isEqualTo(pad);
        byte[] data = EchoProgram.bytes(2, length);
        server.write(sent.word(7), sent.octets().getLong(36), data);
        server.write(sent.word(11), sent.octets().getLong(52), Arrays.copyOf(new byte[] {9, 9, 9}, pad));
        server.send(Wire.header(sent.xid(), 4, Wire.MSG)
                .words(0, 1, 2)
                .segment(sent.word(7), length, 0)
                .segment(sent.word(11), pad, 0)
                .words(0, 0)
                .accepted(sent.xid())
                .words(length)
                .done());
        assertThat(result(future)).isEqualTo(length);
        assertThat(memory).isEqualTo(ByteBuffer.allocate(2000).put(0, data));
        assertThat(Rig.count(transport, "registrations")).isZero();
    }

    @Test
    @Proves({"V1-4.6.3-7", "V1-4.6.3-6"})
    @DisplayName("of a long call only the data items have Read chunks of their own")
    void shouldMoveOnlyDataItemsNextToALongCall() throws Exception {
        byte[] plain = EchoProgram.bytes(3, 2000);
        byte[] data = EchoProgram.bytes(4, 500);
        RpcCall call = Rig.call(EchoProgram.WRITE).maxReplySize(5000);
        call.arguments().putOpaque(plain).putData(ByteBuffer.wrap(data));
        CompletableFuture<String> future = connection.call(call, in -> "done");
        Message sent = server.next();
        int stream = 40 + 4 + 2000 + 4;
        assertThat(sent.word(3)).isEqualTo(Wire.NOMSG);
        assertThat(sent.word(5)).isZero();
        assertThat(sent.word(7)).isEqualTo(stream);
        assertThat(sent.word(11)).isEqualTo(stream);
        assertThat(sent.word(13)).isEqualTo(500);
        // no third Read segment, no Write list, a Reply chunk of one segment
        assertThat(sent.word(16)).isZero();
        assertThat(sent.words()).isEqualTo(4 + 2 * 6 + 1 + 1 + 1 + 1 + 4);
        byte[] message = server.read(sent.word(6), sent.octets().getLong(32), stream);
        assertThat(Arrays.copyOfRange(message, 44, 2044)).isEqualTo(plain);
        assertThat(server.read(sent.word(12), sent.octets().getLong(56), 500)).isEqualTo(data);
        server.send(Wire.header(sent.xid(), 4, Wire.MSG)
                .words(0, 0, 1, 1)
                .segment(sent.word(20), 0, 0)
                .accepted(sent.xid())
                .done());
        result(future);
    }

    @Test
    @Proves("V1-10.2-1")
    @DisplayName("a body that is one opaque, as integrity and privacy make it, is not taken apart: no data chunk")
    void shouldMoveProtectedBodiesWhole() throws Exception {
        RpcCall call = Rig.call(EchoProgram.WRITE);
        call.arguments().putOpaque(EchoProgram.bytes(5, 5000));
        CompletableFuture<String> future = connection.call(call, in -> "done");
        Message sent = server.next();
        assertThat(sent.word(3)).isEqualTo(Wire.NOMSG);
        assertThat(sent.word(5)).isZero();
        assertThat(sent.word(7)).isEqualTo(40 + 4 + 5000);
        assertThat(sent.words()).isEqualTo(4 + 6 + 3);
        server.send(Wire.nullReply(sent.xid(), 4));
        result(future);
    }

    @Test
    @Proves("V1-11-1")
    void shouldTellTheNetidOfThePeersAddress() throws Exception {
        byte[] six = new byte[16];
        six[15] = 1;
        assertThat(ConnectionFacts.netid(new InetSocketAddress(InetAddress.getByAddress(six), 1)))
                .isEqualTo("rdma6");
        assertThat(ConnectionFacts.netid(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 1)))
                .isEqualTo("rdma");
        assertThat(connection.settings()).containsEntry("netid", "rdma");
    }
}
