package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server sends to the requester that answers no call, or not as it should. */
final class RequesterFaultsTest extends RequesterFixture {
    RequesterFaultsTest(Version version, boolean device) {
        super(version, device);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "two", "segments", "length", "reply", "read", "nomsg", "xid", "short", "call"})
    @Proves({"V1-5.5-4", "V1-4.4.5-3", "V1-5.1.1-1", "V1-6.3-1"})
    @DisplayName("a reply that does not answer what was offered fails its call alone")
    void shouldRefuseReplyThatDoesNotMatch(String fault) throws Exception {
        grant(4);
        ByteBuffer sink = ByteBuffer.allocate(2 * version.inlineThreshold());
        CompletableFuture<Integer> future =
                connection.call(TransportPair.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
        CompletableFuture<String> other = callNull();
        Message sent = server.next();
        int xid = sent.xid();
        int tag = sent.chunks().onlySink().handle();
        Wire reply = version.reply(xid, 4, fault.equals("nomsg") ? Wire.NOMSG : Wire.MSG);
        switch (fault) {
            case "none" -> reply.words(0, 0, 0);
            case "two" ->
                reply.words(0, 1, 1)
                        .segment(tag, 0, 0)
                        .words(1, 1)
                        .segment(tag, 0, 0)
                        .words(0, 0);
            case "segments" ->
                reply.words(0, 1, 2).segment(tag, 0, 0).segment(tag, 0, 0).words(0, 0);
            case "length" ->
                reply.words(0, 1, 1).segment(tag, sink.capacity() + 1, 0).words(0, 0);
            case "reply" ->
                reply.words(0, 1, 1).segment(tag, 0, 0).words(0, 1, 1).segment(tag, 0, 0);
            case "read" ->
                reply.words(1, 24)
                        .segment(tag, 4, 0)
                        .words(0, 1, 1)
                        .segment(tag, 0, 0)
                        .words(0, 0);
            default -> reply.words(0, 1, 1).segment(tag, 0, 0).words(0, fault.equals("nomsg") ? 1 : 0);
        }
        switch (fault) {
            case "nomsg" -> reply.words(1).segment(tag, 24, 0);
            case "xid" -> reply.accepted(xid + 1).words(0);
            case "short" -> reply.words(xid, 1, 0, 0, 0);
            case "call" -> reply.words(xid, 1, 7, 0, 0, 0);
            default -> reply.accepted(xid).words(0);
        }
        server.send(reply.done());
        assertThat(failureOf(future)).isInstanceOf(PeerProtocolException.class).hasMessageContaining("RFC");
        server.send(version.nullReply(server.next().xid(), 4));
        awaitNull(other);
        assertThat(server.isConnected()).isTrue();
        assertThat(registrations()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, -1, 0x40000000})
    @Proves("V1-5.1.1-1")
    @DisplayName("a long reply whose XID is not that of its header fails its call alone, and is not decoded")
    void shouldRefuseLongReplyOfOtherXid(int difference) throws Exception {
        grant(4);
        AtomicBoolean decoded = new AtomicBoolean();
        RpcCall call = TransportPair.call(EchoProgram.READ).maxReplySize(2 * version.inlineThreshold());
        CompletableFuture<byte[]> future = connection.call(call, in -> {
            decoded.set(true);
            return in.getOpaque(1000);
        });
        CompletableFuture<String> other = callNull();
        Message sent = server.next();
        Chunks.Segment room = sent.chunks().reply().get(0);
        byte[] reply = ResponderFixture.bytes(
                new Wire().accepted(sent.xid() + difference).words(900).bytes(EchoProgram.bytes(3, 900)));
        server.write(room, reply);
        server.send(version.reply(sent.xid(), 4, Wire.NOMSG)
                .words(0, 0, 1, 1)
                .segment(room, reply.length)
                .done());
        assertThat(failureOf(future)).isInstanceOf(PeerProtocolException.class).hasMessageContaining("RFC");
        assertThat(decoded).isFalse();
        server.send(version.nullReply(server.next().xid(), 4));
        awaitNull(other);
        assertThat(server.isConnected()).isTrue();
        assertThat(registrations()).isZero();
    }

    @Test
    @Proves({"V1-5.5-4", "V1-5.5-5", "ULB-5.4.2-4", "ULB-5.7.2-2"})
    @DisplayName("RDMA_ERROR fails its call, which is not sent again, and grants nothing")
    void shouldFailCallOnError() throws Exception {
        CompletableFuture<String> chunk = callNull();
        server.send(version.error(server.next().xid(), 4).words(2).done());
        assertThat(failureOf(chunk)).isInstanceOf(PeerProtocolException.class);
        CompletableFuture<String> range = callNull();
        CompletableFuture<String> waits = callNull();
        int xid = server.next().xid();
        assertThat(server.isQuiet()).isTrue();
        server.send(Wire.header(7, xid, 4, Wire.ERROR).words(1, 7, 9).done());
        assertThat(failureOf(range)).hasMessageContaining("7 to 9");
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(waits);
        assertThat(server.isQuiet()).isTrue();
    }

    @Test
    @Proves("V1-5.5-4")
    @DisplayName("a reply whose header cannot be read fails its call")
    void shouldFailCallOnUnreadableHeader() throws Exception {
        CompletableFuture<String> call = callNull();
        server.send(version.reply(server.next().xid(), 4, Wire.MSG).words(2).done());
        assertThat(failureOf(call)).isInstanceOf(PeerProtocolException.class).hasMessageContaining("cannot be read");
        grant(1);
    }

    @Test
    @Proves({"V1-5.7.2-1", "V1-8.3.3-1", "BI-4.1-2"})
    @DisplayName("what is nobody's is dropped, its credits with it")
    void shouldDropWhatIsNobodys() throws Exception {
        CompletableFuture<String> call = callNull();
        int xid = server.next().xid();
        CompletableFuture<String> next = callNull();
        server.send(new Wire().words(xid, version.number()).done());
        server.send(version.reply(xid, 9, Wire.MSG)
                .words(0, 0, 0)
                .words(xid, 1, 0, 0)
                .done());
        server.send(version.reply(xid, 9, Wire.MSG)
                .words(0, 0, 0)
                .words(xid, 0, 2, 3, 4, 5, 6)
                .done());
        switch (version) {
            case ONE -> {
                server.send(version.reply(xid, 9, Wire.DONE).done());
                server.send(version.reply(xid, 9, Wire.NOMSG).words(0, 0, 0).done()); // of which direction?
            }
            case TWO -> {
                server.send(version.call(xid, 9, Wire.MSG)
                        .words(0, 0, 0)
                        .accepted(xid)
                        .done());
                server.send(version.reply(xid, 9, Wire.MSG)
                        .words(0, 0, 0)
                        .call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                        .done());
            }
        }
        server.send(version.nullReply(xid + 64, 9));
        server.send(version.nullReply(xid, 1));
        awaitNull(call);
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(next);
        assertThat(count(Counter.DROPPED)).isEqualTo(6);
    }

    @Test
    @Proves({"CM-4.1-1", "V1-10.1-1"})
    @DisplayName("an invalidation of another call's tag ends the connection")
    void shouldEndConnectionOnForeignInvalidation() throws Exception {
        grant(4);
        ByteBuffer sink = ByteBuffer.allocateDirect(9000);
        CompletableFuture<Integer> victim =
                connection.call(TransportPair.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
        CompletableFuture<String> answered = callNull();
        Message sent = server.next();
        int xid = server.next().xid();
        server.sendInvalidating(
                version.nullReply(xid, 4), sent.chunks().onlySink().handle());
        server.awaitEnd();
        server = listener.next();
        assertThat(server.next().xid()).isEqualTo(sent.xid());
        assertThat(victim).isNotDone();
        assertThat(answered).isNotDone();
    }

    @Test
    @Proves({"BI-6-1", "V1-8.2.1-1", "BI-5.2-1"})
    @DisplayName("a reverse call is answered with PROG_UNAVAIL and credits of its own")
    void shouldAnswerReverseCall() throws Exception {
        server.send(version.nullCall(0x77, 5));
        assertThat(server.next().octets())
                .isEqualTo(version.reply(0x77, 8, Wire.MSG)
                        .words(0, 0, 0)
                        .words(0x77, 1, 0, 0, 0, 1)
                        .done());
    }

    @Test
    @Proves("BI-5.3-2")
    @DisplayName("a reverse call with chunks is answered with ERR_CHUNK, or ERR_BAD_HEADER")
    void shouldRefuseReverseChunks() throws Exception {
        server.send(version.call(0x78, 1, Wire.MSG)
                .words(0, 1, 1)
                .segment(1, 2, 3)
                .words(0, 0)
                .call(0x78, 1, 1, 0)
                .done());
        assertThat(server.next().octets()).isEqualTo(version.badHeader(0x78, 8));
    }

    @Test
    @Proves({"V1-8.1.4-1", "BI-4.1-1"})
    @DisplayName("a reverse call with the XID of a call of ours disturbs neither")
    void shouldKeepDirectionsApart() throws Exception {
        CompletableFuture<String> call = callNull();
        CompletableFuture<String> next = callNull();
        int xid = server.next().xid();
        server.send(version.nullCall(xid, 9));
        assertThat(server.next().chunks().rpcWord(1)).isOne(); // the answer to it, and not the second call of ours
        assertThat(call).isNotDone();
        server.send(version.nullReply(xid, 1));
        awaitNull(call);
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(next);
    }
}
