package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.ConnectionReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a requester moves in chunks, and what it makes of memory that a server wrote to; in either version. */
@ParameterizedClass
@EnumSource
final class ChunkRulesTest {
    private final Version version;
    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    private RawPeer.Listener listener;
    private RpcConnection connection;
    private RawPeer server;

    ChunkRulesTest(Version version) {
        this.version = version;
    }

    /** With a first exchange, which in Version Two is one of few octets whatever follows. */
    @BeforeEach
    void connect() throws Exception {
        listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA);
        connection = transport.connect(
                TransportPair.options(listener.address(), 4, ConnectionObserver.NONE, version.options()));
        server = listener.next();
        CompletableFuture<String> first = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
        server.send(version.nullReply(server.next().xid(), 4));
        result(first);
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    private CompletableFuture<Integer> read(ByteBuffer sink) {
        return connection.call(
                TransportPair.call(EchoProgram.READ).expectData(sink).maxReplySize(200), in -> in.getDataInto(sink));
    }

    private static <T> T result(CompletableFuture<T> call) throws Exception {
        return call.get(10, TimeUnit.SECONDS);
    }

    @Test
    @Proves("V1-4.4.4.2-1")
    @DisplayName("the source of a Read chunk stays open, and as it is, until the reply; then it is closed")
    void shouldKeepSourcesUntilTheReply() throws Exception {
        byte[] data = EchoProgram.bytes(1, 2 * version.inlineThreshold());
        RpcCall call = TransportPair.call(EchoProgram.WRITE);
        call.arguments().putData(ByteBuffer.wrap(data));
        CompletableFuture<String> future = connection.call(call, in -> "done");
        Message sent = server.next();
        for (int i = 0; i < 3; i++) {
            assertThat(server.read(sent.chunks().reads().get(0).target())).isEqualTo(data);
        }
        assertThat(TransportPair.count(transport, "registrations")).isOne();
        server.send(version.nullReply(sent.xid(), 4));
        result(future);
        assertThat(TransportPair.count(transport, "registrations")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    @Proves("V1-4.4.5.1-2")
    @DisplayName("what the server wrote to a Write chunk and did not return is nothing")
    void shouldDisregardWhatStandsInUnusedOctets(int used) throws Exception {
        ByteBuffer sink = ByteBuffer.allocate(2 * version.inlineThreshold());
        CompletableFuture<Integer> future = read(sink);
        Message sent = server.next();
        Chunks.Segment offered = sent.chunks().onlySink();
        server.write(offered, EchoProgram.bytes(1, sink.capacity()));
        Wire reply = version.reply(sent.xid(), 4, Wire.MSG)
                .words(0, 1, 1)
                .segment(offered, used)
                .words(0, 0)
                .accepted(sent.xid());
        byte[] inline = {1, 2, 3, 4, 5};
        server.send(
                used == 0
                        ? reply.words(5).bytes(inline).done()
                        : reply.words(used).done());
        byte[] expected = used == 0 ? inline : Arrays.copyOf(EchoProgram.bytes(1, sink.capacity()), used);
        assertThat(result(future)).isEqualTo(expected.length);
        assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(expected));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    @Proves("V1-4.4.5.2-3")
    @DisplayName("a Write chunk has room for the padding, which does not come into the sink")
    void shouldHaveRoomForPadding(int over) throws Exception {
        int length = version.inlineThreshold() + over;
        int pad = 4 - over;
        ByteBuffer memory = ByteBuffer.allocate(length + 1000);
        ByteBuffer sink = memory.duplicate().limit(length);
        CompletableFuture<Integer> future = read(sink);
        Message sent = server.next();
        assertThat(sent.chunks().writes()).hasSize(1);
        List<Chunks.Segment> chunk = sent.chunks().writes().get(0);
        assertThat(chunk).extracting(Chunks.Segment::length).containsExactly(length, pad);
        byte[] data = EchoProgram.bytes(2, length);
        server.write(chunk.get(0), data);
        server.write(chunk.get(1), Arrays.copyOf(new byte[] {9, 9, 9}, pad));
        server.send(version.reply(sent.xid(), 4, Wire.MSG)
                .words(0, 1, 2)
                .segment(chunk.get(0), length)
                .segment(chunk.get(1), pad)
                .words(0, 0)
                .accepted(sent.xid())
                .words(length)
                .done());
        assertThat(result(future)).isEqualTo(length);
        assertThat(memory).isEqualTo(ByteBuffer.allocate(length + 1000).put(0, data));
        assertThat(TransportPair.count(transport, "registrations")).isZero();
    }

    @Test
    @Proves({"V1-4.6.3-7", "V1-4.6.3-6"})
    @DisplayName("of a long call only the data items have Read chunks of their own")
    void shouldMoveOnlyDataItemsNextToALongCall() throws Exception {
        byte[] plain = EchoProgram.bytes(3, 2 * version.inlineThreshold());
        byte[] data = EchoProgram.bytes(4, 500);
        RpcCall call = TransportPair.call(EchoProgram.WRITE).maxReplySize(5000);
        call.arguments().putOpaque(plain).putData(ByteBuffer.wrap(data));
        CompletableFuture<String> future = connection.call(call, in -> "done");
        Message sent = server.next();
        assertThat(sent.procedure()).isEqualTo(Wire.NOMSG);
        Chunks chunks = sent.chunks();
        int stream = 40 + 4 + plain.length + 4;
        assertThat(chunks.reads()).extracting(Chunks.Read::position).containsExactly(0, stream);
        assertThat(chunks.reads()).extracting(read -> read.target().length()).containsExactly(stream, data.length);
        assertThat(chunks.writes()).isEmpty();
        assertThat(chunks.reply()).hasSize(1);
        assertThat(chunks.rpc().hasRemaining()).isFalse();
        byte[] message = server.read(chunks.reads().get(0).target());
        assertThat(Arrays.copyOfRange(message, 44, 44 + plain.length)).isEqualTo(plain);
        assertThat(server.read(chunks.reads().get(1).target())).isEqualTo(data);
        server.send(version.reply(sent.xid(), 4, Wire.MSG)
                .words(0, 0, 1, 1)
                .segment(chunks.reply().get(0), 0)
                .accepted(sent.xid())
                .done());
        result(future);
    }

    @Test
    @Proves("V1-10.2-1")
    @DisplayName("a body that is one opaque, as integrity and privacy make it, is not taken apart: no data chunk")
    void shouldMoveProtectedBodiesWhole() throws Exception {
        RpcCall call = TransportPair.call(EchoProgram.WRITE);
        call.arguments().putOpaque(EchoProgram.bytes(5, 5000));
        CompletableFuture<String> future = connection.call(call, in -> "done");
        Message sent = server.next();
        assertThat(sent.procedure()).isEqualTo(Wire.NOMSG);
        Chunks chunks = sent.chunks();
        assertThat(chunks.reads()).hasSize(1);
        assertThat(chunks.reads().get(0).position()).isZero();
        assertThat(chunks.reads().get(0).target().length()).isEqualTo(40 + 4 + 5000);
        assertThat(chunks.writes()).isEmpty();
        assertThat(chunks.reply()).isNull();
        assertThat(chunks.rpc().hasRemaining()).isFalse();
        server.send(version.nullReply(sent.xid(), 4));
        result(future);
    }

    @Test
    @Proves("V1-11-1")
    void shouldTellTheNetidOfThePeersAddress() throws Exception {
        byte[] six = new byte[16];
        six[15] = 1;
        assertThat(ConnectionReport.netid(new InetSocketAddress(InetAddress.getByAddress(six), 1)))
                .isEqualTo("rdma6");
        assertThat(ConnectionReport.netid(
                        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 1)))
                .isEqualTo("rdma");
        assertThat(connection.settings()).containsEntry("netid", "rdma");
    }
}
