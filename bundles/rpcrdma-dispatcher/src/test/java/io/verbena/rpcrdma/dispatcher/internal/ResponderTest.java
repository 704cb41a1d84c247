package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the responder answers to calls, and how many calls and connections it takes. */
final class ResponderTest extends ResponderFixture {
    ResponderTest(Version version, boolean device) {
        super(version, device);
    }

    private Wire message(int procedure) {
        return version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, procedure);
    }

    @Test
    @Proves({"V1-4.3-3", "V1-5-1", "V1-5.1.1-1", "V1-5.1.2-1", "V1-5.3.1-1"})
    @DisplayName("a short reply is RDMA_MSG with the credits granted")
    void shouldAnswerNull() throws Exception {
        client.send(version.nullCall(XID, 1));
        expect(version.nullReply(XID, CREDITS));
    }

    @Test
    @Proves("V1-5.7.1-2")
    @DisplayName("RDMA_MSGP is taken as RDMA_MSG, and answered with that; in Version Two there is none, nor RDMA_DONE")
    void shouldTakeMsgp() throws Exception {
        client.send(version.call(XID, 4, Wire.MSGP)
                .words(4096, 256, 0, 0, 0)
                .bytes(bytes(call(EchoProgram.NULL)))
                .done());
        expect(version == Version.ONE ? version.nullReply(XID, CREDITS) : errChunk());
        if (version == Version.TWO) {
            client.send(version.call(XID, 4, Wire.DONE).done());
            expect(errChunk());
        }
        expectAlive();
    }

    @Test
    @Proves("V1-5.5-3")
    @DisplayName("an RPC header that cannot be decoded is answered with GARBAGE_ARGS")
    void shouldAnswerGarbageArgs() throws Exception {
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 0, 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 0, 1, 401, 0, 0, 0)
                .done());
        expect(replyHead().words(XID, 1, 0, 0, 0, 4).done());
    }

    @Test
    void shouldAnswerRpcErrors() throws Exception {
        Wire rpcVersion = replyHead().words(XID, 1, 1, 0, 2, 2);
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0, XID, 0, 3, 0, 0, 0, 0, 0, 0, 0)
                .done());
        expect(rpcVersion.done());
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .call(XID, 55, EchoProgram.VERSION, 0)
                .done());
        expect(replyHead().words(XID, 1, 0, 0, 0, 1).done());
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .call(XID, EchoProgram.PROGRAM, 9, 0)
                .done());
        expect(replyHead()
                .words(XID, 1, 0, 0, 0, 2, EchoProgram.VERSION, EchoProgram.VERSION + 1)
                .done());
        client.send(message(EchoProgram.THROW).done());
        expect(replyHead().words(XID, 1, 0, 0, 0, 5).done());
    }

    @Test
    @Proves("V1-10.2-1")
    void shouldRejectUnknownCredential() throws Exception {
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 0, 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 0, 6, 4, 1, 0, 0)
                .done());
        expect(replyHead()
                .words(XID, 1, 1, 1, AuthStatus.AUTH_REJECTEDCRED.code())
                .done());
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    @Proves({"CM-4.1-1", "CM-4.1-2"})
    @DisplayName("a reply invalidates the call's largest segment where both ends take part, else none")
    void shouldInvalidateWhereBothTakePart(boolean we, boolean they) throws Exception {
        byte[] privateData = new PrivateDataNegotiator().privateData(new LocalSettings(4096, 4096, we));
        connect(privateData, Map.of("invalidate", they ? "on" : "off"));
        ByteBuffer small = ByteBuffer.allocateDirect(10);
        ByteBuffer large = ByteBuffer.allocateDirect(100);
        MemoryRegion one = offer(small);
        MemoryRegion two = offer(large);
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0)
                .words(1, 1)
                .segment(one.steeringTag(), 10, one.remoteOffset())
                .words(1, 1)
                .segment(two.steeringTag(), 100, two.remoteOffset())
                .words(0, 0)
                .bytes(bytes(call(EchoProgram.NULL)))
                .done());
        Message reply = client.next();
        assertThat(reply.invalidated()).isEqualTo(we && they);
        assertThat(one.isValid()).isTrue();
        assertThat(two.isValid()).isEqualTo(!(we && they));
        client.send(version.nullCall(XID, 4));
        assertThat(client.next().invalidated()).isFalse();
    }

    @Test
    @Proves({"V1-4.3-8", "BI-4.3.2-1"})
    @DisplayName("receives for all credits are posted before a call may come and when a reply goes out")
    void shouldKeepReceivesPosted() throws Exception {
        program.behaviour = null;
        MemoryConnection server = fabric.open().stream()
                .filter(end -> end.remoteAddress().equals(client.rdma().localAddress()))
                .findAny()
                .orElseThrow();
        int all = CREDITS + TransportLimits.DEFAULT.receiveMargin() + TransportLimits.DEFAULT.reverseCredits();
        assertThat(server.postedReceives()).isEqualTo(all);
        List<RpcRequest> held = new ArrayList<>();
        for (int i = 0; i < CREDITS; i++) {
            client.send(version.nullCall(i, 4));
            held.add(program.next());
        }
        assertThat(server.postedReceives()).isEqualTo(all - CREDITS);
        for (int i = 0; i < CREDITS; i++) {
            held.get(i).reply();
            client.next();
            assertThat(server.postedReceives()).isEqualTo(all - CREDITS + i + 1);
        }
    }

    @Test
    @Proves("V1-4.3-6")
    @DisplayName("calls beyond the credits are answered within bounds; beyond those only that connection ends")
    void shouldSurviveCallsBeyondCredits() throws Exception {
        RawPeer other = RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA);
        program.behaviour = null;
        other.send(version.nullCall(7, 1));
        RpcRequest undisturbed = program.next();
        int all = 2 * CREDITS + TransportLimits.DEFAULT.receiveMargin();
        List<RpcRequest> held = new ArrayList<>();
        for (int i = 0; i < all; i++) {
            client.send(version.nullCall(i, 4));
            held.add(program.next());
        }
        held.get(3).reply();
        expect(version.nullReply(3, CREDITS));
        client.send(version.nullCall(3, 4));
        client.send(version.nullCall(4, 4));
        client.awaitEnd();
        held.remove(3);
        held.forEach(RpcRequest::reply); // to nobody
        undisturbed.reply();
        assertThat(other.next().octets()).isEqualTo(version.nullReply(7, CREDITS));
    }

    @Test
    void shouldAnswerFromOtherThreadAndOnlyOnce() throws Exception {
        program.behaviour = null;
        client.send(version.nullCall(XID, 4));
        RpcRequest request = program.next();
        request.reply();
        expect(version.nullReply(XID, CREDITS));
        org.assertj.core.api.Assertions.assertThatThrownBy(request::reply).isInstanceOf(IllegalStateException.class);
        client.send(version.nullCall(XID, 4));
        program.next().drop();
        program.behaviour = new EchoProgram();
        expectAlive();
    }

    @Test
    void shouldRefuseConnectionsBeyondLimit() throws Exception {
        RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA);
        RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA);
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA))
                .hasMessageContaining("rejected");
    }
}
