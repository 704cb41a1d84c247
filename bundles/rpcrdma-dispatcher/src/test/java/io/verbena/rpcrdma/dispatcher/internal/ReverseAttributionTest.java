package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which direction a message belongs to, and which call. */
final class ReverseAttributionTest extends ReverseRequesterFixture {
    private ByteBuffer error(int xid) {
        return version.badHeader(xid, 7);
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-2.4-1", "V1-8.1.4-1"})
    @DisplayName("the same XID in both directions at once: each reply goes to its own call")
    void shouldKeepXidsOfTheDirectionsApart(Version spoken) throws Exception {
        connect(spoken);
        CompletableFuture<String> back = callBack();
        int xid = client.next().xid();
        client.send(forwardCall(xid));
        RpcRequest request = program.next();
        assertThat(request.xid()).isEqualTo(xid);
        assertThat(back).isNotDone();
        request.reply();
        assertThat(client.next().octets()).isEqualTo(reply(xid, CREDITS));
        assertThat(back).isNotDone();
        client.send(forwardCall(xid));
        RpcRequest again = program.next();
        client.send(reply(xid, 1));
        awaitBack(back);
        again.reply();
        assertThat(client.next().octets()).isEqualTo(reply(xid, CREDITS));
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-4.1-2", "V1-8.3.3-1"})
    @DisplayName("RDMA_ERROR belongs to the reverse call of its XID, else it is dropped; no credits")
    void shouldAttributeErrors(Version spoken) throws Exception {
        connect(spoken);
        CompletableFuture<String> call = callBack();
        CompletableFuture<String> next = callBack();
        CompletableFuture<String> other = callBack();
        int xid = client.next().xid();
        client.send(error(xid + 64));
        client.send(error(XID));
        expectForward();
        assertThat(call).isNotDone();
        client.send(error(xid));
        assertThat(failureOf(call)).isInstanceOf(PeerProtocolException.class);
        Message second = client.next();
        expectForward();
        assertThat(client.isQuiet()).isTrue(); // the 7 of the errors were no grant
        client.send(reply(second.xid(), 1));
        client.send(reply(client.next().xid(), 1));
        awaitBack(next);
        awaitBack(other);
        assertThat(count(Counter.DROPPED)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    @Proves("BI-4.1-2")
    @DisplayName("an RDMA_ERROR where no reverse call was ever made is dropped")
    void shouldDropErrorsOfNobody(Version spoken) throws Exception {
        connect(spoken);
        client.send(error(XID));
        client.send(reply(XID, 7));
        expectForward();
        assertThat(count(Counter.DROPPED)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-4.1-2", "V2-4.2.3-1"})
    @DisplayName("a header that cannot be read is the answer to the reverse call of its XID, else a call")
    void shouldAttributeUnreadableHeaders(Version spoken) throws Exception {
        connect(spoken);
        CompletableFuture<String> call = callBack();
        int xid = client.next().xid();
        client.send(version.call(XID, 7, Wire.MSG).words(2).done());
        assertThat(client.next().octets()).isEqualTo(version.badHeader(XID, CREDITS));
        assertThat(call).isNotDone();
        client.send(version.reply(xid, 7, Wire.MSG).words(2).done());
        assertThat(failureOf(call)).isInstanceOf(PeerProtocolException.class).hasMessageContaining("cannot be read");
        expectForward();
    }

    @Test
    @Proves({"BI-4.1-2", "BI-2.4-1", "V2-3.2-1"})
    @DisplayName("where an unreadable Version Two header tells its direction, that is believed")
    void shouldBelieveTheDirectionOfAnUnreadableHeader() throws Exception {
        connect(Version.TWO);
        CompletableFuture<String> call = callBack();
        int xid = client.next().xid();
        client.send(version.call(xid, 7, Wire.MSG).words(2).done());
        assertThat(client.next().octets()).isEqualTo(version.badHeader(xid, CREDITS));
        assertThat(call).isNotDone();
        client.send(version.reply(XID, 7, Wire.MSG).words(2).done()); // the answer to nothing
        expectForward();
        assertThat(client.isQuiet()).isTrue();
        client.send(reply(xid, 1));
        awaitBack(call);
    }

    @Test
    @Proves("V2-3.2-1")
    @DisplayName("a message whose rdma_direction the RPC message contradicts belongs to neither")
    void shouldDropWhatContradictsItsDirection() throws Exception {
        connect(Version.TWO);
        CompletableFuture<String> call = callBack();
        int xid = client.next().xid();
        client.send(version.call(xid, 7, Wire.MSG)
                .words(0, 0, 0)
                .accepted(xid)
                .words(0, 0, 0, 0) // as long as a call
                .done());
        client.send(version.reply(XID, 7, Wire.MSG)
                .words(0, 0, 0)
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                .done());
        expectForward();
        assertThat(count(Counter.DROPPED)).isEqualTo(2);
        assertThat(program.isQuiet()).isTrue();
        assertThat(call).isNotDone();
        client.send(reply(xid, 1));
        awaitBack(call);
    }

    @ParameterizedTest
    @CsvSource({"ONE, own", "TWO, own", "ONE, other", "TWO, other", "ONE, call", "TWO, call"})
    @Proves({"BI-2.4-1", "V1-10.1-4"})
    @DisplayName("only the reply to a reverse call may invalidate its memory")
    void shouldAttributeInvalidation(Version spoken, String how) throws Exception {
        byte[] privateData = new PrivateDataNegotiator().privateData(new LocalSettings(4096, 4096, true));
        connect(spoken, privateData, Map.of());
        grant(2);
        ByteBuffer sink = ByteBuffer.allocateDirect(9000);
        CompletableFuture<String> one =
                peer.call(TransportPair.call(EchoProgram.NULL).expectData(sink), in -> "back");
        CompletableFuture<String> two = callBack();
        Message call = client.next();
        int other = client.next().xid();
        Chunks.Segment offered = call.chunks().onlySink();
        int xid = how.equals("own") ? call.xid() : other;
        ByteBuffer message =
                switch (how) {
                    case "own" ->
                        version.reply(xid, 2, Wire.MSG)
                                .words(0, 1, 1)
                                .segment(offered, 0)
                                .words(0, 0)
                                .accepted(xid)
                                .done();
                    case "other" -> reply(xid, 2);
                    default -> forwardCall(call.xid());
                };
        client.sendInvalidating(message, offered.handle());
        if (how.equals("own")) {
            awaitBack(one);
            client.send(reply(other, 2));
            awaitBack(two);
            expectForward();
        } else {
            client.awaitEnd();
            assertThat(failureOf(one)).isInstanceOf(TransportLostException.class);
            assertThat(failureOf(two)).isInstanceOf(TransportLostException.class);
        }
        assertThat(TransportPair.count(transport, "registrations")).isZero();
    }
}
