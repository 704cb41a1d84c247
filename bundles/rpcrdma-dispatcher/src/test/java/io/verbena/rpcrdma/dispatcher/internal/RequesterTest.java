package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the requester sends, with and without chunks, and what it takes from replies. */
final class RequesterTest extends RequesterFixture {
    RequesterTest(Version version, boolean device) {
        super(version, device);
    }

    private static byte[] privateData(int size, boolean invalidation) {
        return new PrivateDataNegotiator().privateData(new LocalSettings(size, size, invalidation));
    }

    @Test
    @Proves({"V1-4.3-1", "V1-5-1", "V1-5.1.1-1", "V1-5.1.2-1", "V1-5.3.1-1", "V1-4.2-1"})
    @DisplayName("a short call is RDMA_MSG without chunks")
    void shouldSendShortCallWhole() throws Exception {
        started.add(callNull());
        Message call = server.next();
        int xid = call.xid();
        assertThat(call.octets())
                .isEqualTo(version.call(xid, 4, Wire.MSG)
                        .words(0, 0, 0)
                        .call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                        .done());
    }

    @Test
    @Proves("BI-2.4-1")
    @DisplayName("XIDs differ among outstanding calls, and from those of calls before")
    void shouldKeepXidsApart() throws Exception {
        grant(4);
        Set<Integer> seen = new HashSet<>();
        for (int round = 0; round < 1000; round++) {
            started.add(callNull());
            int xid = server.next().xid();
            assertThat(seen.add(xid)).isTrue();
            server.send(version.nullReply(xid, 4));
        }
    }

    @Test
    @Proves({"V1-4.3.1-3", "V1-4.3.1-4", "V1-4.6.3-1", "V1-4.6.3-2", "V1-5.1.4-2", "V1-5.3.3-1", "CM-5.1-1"})
    @DisplayName("a call over the inline threshold, of 1024 or 4096 octets, is long")
    void shouldSendLongCall() throws Exception {
        // before the opaque stand the transport header, the call header of 40 octets and the length word
        int longest = version.inlineThreshold() - version.bareHeader() - 40 - 4;
        started.add(connection.call(writeStream(longest), in -> "done"));
        Message inline = server.next();
        assertThat(inline.octets().capacity()).isEqualTo(version.inlineThreshold());
        assertThat(inline.procedure()).isEqualTo(Wire.MSG);
        server.send(version.nullReply(inline.xid(), 1));

        started.add(connection.call(writeStream(longest + 4), in -> "done"));
        Message call = server.next();
        assertThat(call.procedure()).isEqualTo(Wire.NOMSG);
        Chunks chunks = call.chunks();
        assertThat(chunks.reads()).hasSize(1);
        assertThat(chunks.writes()).isEmpty();
        assertThat(chunks.reply()).isNull();
        assertThat(chunks.rpc().hasRemaining()).isFalse();
        Chunks.Read stream = chunks.reads().get(0);
        assertThat(stream.position()).isZero();
        assertThat(stream.target().length()).isEqualTo(40 + 4 + longest + 4);
        byte[] message = server.read(stream.target());
        assertThat(ByteBuffer.wrap(message).getInt(0)).isEqualTo(call.xid());
        assertThat(message).endsWith(EchoProgram.bytes(9, longest + 4));
    }

    private static RpcCall writeStream(int length) {
        RpcCall call = TransportPair.call(EchoProgram.WRITE);
        call.arguments().putOpaque(EchoProgram.bytes(9, length));
        return call;
    }

    @Test
    @Proves({"V1-4.4.3.1-1", "V1-4.4.4-1", "V1-4.4.4.1-1", "V1-4.4.4.1-2", "V1-4.4.4.1-4", "V1-5.2.1-1"})
    @DisplayName("data items leave the stream without padding, each at the position that it has in the whole message")
    void shouldMoveArgumentsByReadChunks() throws Exception {
        RpcCall call = TransportPair.call(EchoProgram.WRITE);
        byte[] first = EchoProgram.bytes(1, version.inlineThreshold() + 1);
        byte[] second = EchoProgram.bytes(2, 6);
        call.arguments().putInt(11).putData(ByteBuffer.wrap(first)).putInt(12).putData(ByteBuffer.wrap(second));
        call.arguments().putInt(13);
        started.add(connection.call(call, in -> "done"));
        Message sent = server.next();
        assertThat(sent.procedure()).isEqualTo(Wire.MSG);
        Chunks chunks = sent.chunks();
        int position = 40 + 4 + 4;
        assertThat(chunks.reads())
                .extracting(Chunks.Read::position)
                .containsExactly(position, position + first.length + 3 + 4 + 4);
        assertThat(server.read(chunks.reads().get(0).target())).isEqualTo(first);
        assertThat(server.read(chunks.reads().get(1).target())).isEqualTo(second);
        assertThat(chunks.writes()).isEmpty();
        assertThat(chunks.reply()).isNull();
        assertThat(chunks.rpc().slice(40, chunks.rpc().capacity() - 40))
                .isEqualTo(new Wire().words(11, first.length, 12, 6, 13).done());
    }

    @Test
    @Proves({"V1-4.4.5-1", "V1-4.4.5.1-1", "V1-4.4.5.2-4", "V1-5.2.2-3", "V1-5.2.3-1", "ULB-2-1"})
    @DisplayName("results land in their sinks")
    void shouldTakeResultsFromWriteChunks() throws Exception {
        ByteBuffer one = ByteBuffer.allocate(2000);
        ByteBuffer two = ByteBuffer.allocate(3000);
        ByteBuffer three = ByteBuffer.allocate(12);
        RpcCall call = TransportPair.call(EchoProgram.READ)
                .expectData(one)
                .expectData(two)
                .expectData(three)
                .maxReplySize(200);
        CompletableFuture<Integer> future = connection.call(call, in -> {
            in.getDataInto(one);
            in.getDataInto(two);
            in.getDataInto(three);
            return in.getInt();
        });
        Message sent = server.next();
        Chunks chunks = sent.chunks();
        assertThat(chunks.reads()).isEmpty();
        assertThat(chunks.writes()).hasSize(3).allMatch(chunk -> chunk.size() == 1);
        assertThat(chunks.reply()).isNull();
        assertThat(chunks.rpc().capacity()).isEqualTo(40);
        List<Chunks.Segment> sinks =
                chunks.writes().stream().flatMap(List::stream).toList();
        assertThat(sinks).extracting(Chunks.Segment::length).containsExactly(2000, 3000, 12);
        byte[] data = EchoProgram.bytes(5, 1999);
        server.write(sinks.get(0), data);
        server.write(sinks.get(2), new byte[] {1, 2, 3});
        int xid = sent.xid();
        server.send(version.reply(xid, 4, Wire.MSG)
                .words(0)
                .words(1, 1)
                .segment(sinks.get(0), 1999)
                .words(1, 1)
                .segment(sinks.get(1), 0)
                .words(1, 1)
                .segment(sinks.get(2), 3)
                .words(0, 0)
                .accepted(xid)
                .words(1999)
                .words(0)
                .words(3)
                .words(77)
                .done());
        assertThat(future.get(10, TimeUnit.SECONDS)).isEqualTo(77);
        assertThat(one.flip()).isEqualTo(ByteBuffer.wrap(data));
        assertThat(two.position()).isZero();
        assertThat(three.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(registrations()).isZero();
    }

    @Test
    @Proves("V1-4.4.5.1-1")
    @DisplayName("a result may stand in the stream though a Write chunk was offered for it")
    void shouldTakeResultFromStreamWhereChunkIsUnused() throws Exception {
        ByteBuffer sink = ByteBuffer.allocate(2 * version.inlineThreshold());
        RpcCall call = TransportPair.call(EchoProgram.READ).expectData(sink);
        CompletableFuture<Integer> future = connection.call(call, in -> in.getDataInto(sink));
        Message sent = server.next();
        server.send(version.reply(sent.xid(), 4, Wire.MSG)
                .words(0, 1, 1)
                .segment(sent.chunks().onlySink(), 0)
                .words(0, 0)
                .accepted(sent.xid())
                .words(5)
                .bytes(new byte[] {1, 2, 3, 4, 5})
                .done());
        assertThat(future.get(10, TimeUnit.SECONDS)).isEqualTo(5);
        assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}));
    }

    @Test
    @Proves({"V1-4.6.3-3", "V1-5.2.3-1", "V1-5.3.4-1", "ULB-2-1"})
    @DisplayName("a reply that may be too long for a Send comes in the Reply chunk")
    void shouldTakeLongReply() throws Exception {
        int longest = version.inlineThreshold() - version.bareHeader();
        RpcCall call = TransportPair.call(EchoProgram.READ).maxReplySize(longest + 1);
        CompletableFuture<byte[]> future = connection.call(call, in -> in.getOpaque(1000));
        Message sent = server.next();
        assertThat(sent.chunks().writes()).isEmpty();
        assertThat(sent.chunks().reply()).hasSize(1);
        Chunks.Segment room = sent.chunks().reply().get(0);
        assertThat(room.length()).isEqualTo(longest + 1);
        byte[] data = EchoProgram.bytes(3, 900);
        ByteBuffer reply =
                new Wire().accepted(sent.xid()).words(900).bytes(data).done();
        byte[] octets = new byte[reply.remaining()];
        reply.get(octets);
        server.write(room, octets);
        server.send(version.reply(sent.xid(), 4, Wire.NOMSG)
                .words(0, 0, 1, 1)
                .segment(room, octets.length)
                .done());
        assertThat(future.get(10, TimeUnit.SECONDS)).isEqualTo(data);
        assertThat(registrations()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1,0,false", "1,4,true", "3,0,false", "3,4,true", "20,0,false", "20,4,true"})
    @Proves("V1-5.2.3-1")
    @DisplayName(
            "the Write list that a reply returns counts where it is decided whether a Reply chunk goes with a call")
    void shouldCountTheReturnedWriteListForTheReplyChunk(int sinks, int beyond, boolean offered) throws Exception {
        int writeList = sinks * (4 + 4 + 16); // each a mark, a count of segments, one segment
        int fits = version.inlineThreshold() - version.bareHeader() - writeList;
        RpcCall call = TransportPair.call(EchoProgram.READ).maxReplySize(fits + beyond);
        for (int i = 0; i < sinks; i++) {
            call.expectData(ByteBuffer.allocate(version.inlineThreshold()));
        }
        started.add(connection.call(call, in -> "done"));
        Chunks chunks = server.next().chunks();
        assertThat(chunks.writes()).hasSize(sinks).allMatch(chunk -> chunk.size() == 1);
        if (offered) {
            assertThat(chunks.reply()).extracting(Chunks.Segment::length).containsExactly(fits + beyond);
        } else {
            assertThat(chunks.reply()).isNull();
        }
    }

    @Test
    @Proves("V1-5.2.3-1")
    @DisplayName("no chunk is offered for what fits inline with the sinks' data")
    void shouldOfferNoChunkForReplyThatFits() throws Exception {
        ByteBuffer sink = ByteBuffer.allocate(401);
        int rest = version.inlineThreshold() - version.bareHeader() - 404;
        started.add(connection.call(
                TransportPair.call(EchoProgram.READ).expectData(sink).maxReplySize(rest), in -> "done"));
        assertThat(server.next().octets().capacity()).isEqualTo(version.bareHeader() + 40);
    }

    @Test
    void shouldReportRejection() throws Exception {
        CompletableFuture<String> call = callNull();
        int xid = server.next().xid();
        server.send(version.reply(xid, 4, Wire.MSG)
                .words(0, 0, 0)
                .words(xid, 1, 0, 0, 0, 3)
                .done());
        assertThat(failureOf(call)).isInstanceOfSatisfying(RpcRejectedException.class, e -> assertThat(e.reason())
                .isEqualTo(RpcRejectedException.Reason.PROC_UNAVAIL));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Proves("CM-4.1-3")
    @DisplayName("an invalidation of the call's own tag is taken as done, whatever the server announced")
    void shouldTakeRemoteInvalidation(boolean announced) throws Exception {
        connect(4, privateData(4096, announced));
        assertThat(connection.settings()).containsEntry("remoteInvalidation", announced ? "on" : "off");
        ByteBuffer sink = ByteBuffer.allocateDirect(9000);
        CompletableFuture<Integer> future =
                connection.call(TransportPair.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
        Message sent = server.next();
        server.sendInvalidating(
                version.reply(sent.xid(), 4, Wire.MSG)
                        .words(0, 1, 1)
                        .segment(sent.chunks().onlySink(), 0)
                        .words(0, 0)
                        .accepted(sent.xid())
                        .words(0)
                        .done(),
                sent.chunks().onlySink().handle());
        assertThat(future.get(10, TimeUnit.SECONDS)).isZero();
        assertThat(registrations()).isZero();
        assertThat(server.isConnected()).isTrue();
    }

    @Test
    void shouldRefuseCallThatNoHeaderDescribes() throws Exception {
        RpcCall call = TransportPair.call(EchoProgram.READ).maxReplySize(2 * version.inlineThreshold());
        for (int i = 0; i < version.inlineThreshold() / 16; i++) { // a chunk takes 24 octets
            call.expectData(ByteBuffer.allocate(100));
        }
        assertThat(failureOf(connection.call(call, in -> "done")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too many chunks");
        assertThat(registrations()).isZero();
        grant(1);
    }
}
