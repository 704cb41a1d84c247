package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.dispatcher.internal.base.PeerBounds;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.RpcServer;
import io.verbena.rpcrdma.dispatcher.internal.memory.SizeClass;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a listener holds, and for how long, for peers that neither answer nor take. */
final class PeerBoundsTest extends ResponderFixture {
    private static final int MIB = 1 << 20;
    private static final int CALLS = 40;

    PeerBoundsTest(Version version, boolean device) {
        super(version, device);
    }

    private void listen(int maxConnections) throws Exception {
        ListenOptions options =
                new ListenOptions(MemoryFabric.address(0), CALLS + 4, maxConnections, 2 << 20, Map.of());
        listener = transport.listen(options, program);
    }

    private RawPeer connectMore() throws Exception {
        return RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA);
    }

    private ByteBuffer callWithReadChunk(int tag, int length, long offset) {
        return version.call(XID, CALLS, Wire.MSG)
                .words(1, 52)
                .segment(tag, length, offset)
                .words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, length, 99)))
                .done();
    }

    private ByteBuffer callWithWriteChunk(MemoryRegion sink, int length) {
        return version.call(XID, CALLS, Wire.MSG)
                .words(0)
                .words(1, 1)
                .segment(sink.steeringTag(), length, sink.remoteOffset())
                .words(0, 0)
                .bytes(bytes(call(EchoProgram.READ).words(1, 0, length, 5)))
                .done();
    }

    private void expectAnswerTo(RawPeer peer) throws Exception {
        peer.send(version.nullCall(0x99, CALLS));
        assertThat(peer.next().xid()).isEqualTo(0x99);
    }

    private long held() {
        return transport.connections().stream()
                .map(ConnectionStatus::gauges)
                .mapToLong(gauges -> gauges.get("heldBytes"))
                .sum();
    }

    private static Connection connectionTo(RawPeer peer, RpcServer server) {
        return server.present().stream()
                .filter(each -> each.rdma().remoteAddress().equals(peer.rdma().localAddress()))
                .findAny()
                .orElseThrow();
    }

    @Test
    @DisplayName("a peer that answers no RDMA Read has one call's memory held, and loses its connection")
    void shouldEndPeerThatAnswersNoRead() throws Exception {
        transport.configure(PeerBounds.DEFAULT.withTimeouts(Duration.ofMillis(500), Duration.ofHours(1)));
        listen(4);
        RawPeer silent = connectMore();
        fabric.answerReads(false);
        expectAnswerTo(silent);
        Connection connection = connectionTo(silent, (RpcServer) listener);
        for (int i = 0; i < CALLS; i++) {
            silent.send(callWithReadChunk(0xbad, MIB + 4, 0));
        }
        expectAnswerTo(silent); // all calls have been looked at
        assertThat(connection.responder().held()).isEqualTo(SizeClass.roundUp(MIB + 4)); // one call alone is let in
        RawPeer other = connectMore();
        expectAnswerTo(other);
        silent.awaitEnd();
        connection.close(); // waits for the end of this side, which comes as the other's does
        assertThat(connection.responder().held()).isZero();
        fabric.answerReads(true);
        MemoryRegion region = other.rdma().register(ByteBuffer.allocateDirect(MIB), Access.REMOTE_READ);
        other.send(callWithReadChunk(region.steeringTag(), MIB, region.remoteOffset()));
        assertThat(other.next().xid()).isEqualTo(XID);
    }

    @Test
    @DisplayName("a peer that answers its reads has more and more of them at once")
    void shouldPullMoreFromPeerThatAnswers() throws Exception {
        listen(4);
        RawPeer peer = connectMore();
        program.behaviour = null; // what was pulled stays
        MemoryRegion region = peer.rdma().register(ByteBuffer.allocateDirect(MIB), Access.REMOTE_READ);
        for (int i = 0; i < CALLS; i++) {
            peer.send(callWithReadChunk(region.steeringTag(), MIB, region.remoteOffset()));
        }
        for (int i = 0; i < CALLS; i++) {
            program.next();
        }
        assertThat(held()).isEqualTo((long) CALLS * MIB);
    }

    @Test
    @DisplayName("a peer that takes no reply has few held, and short calls of its go on")
    void shouldHoldFewRepliesForPeerThatTakesNone() throws Exception {
        EchoProgram echo = new EchoProgram();
        program.behaviour = echo;
        listen(4);
        RawPeer greedy = connectMore();
        fabric.completeSends(false);
        MemoryRegion sink = greedy.rdma().register(ByteBuffer.allocateDirect(MIB), Access.REMOTE_WRITE);
        for (int i = 0; i < CALLS; i++) {
            greedy.send(callWithWriteChunk(sink, MIB));
        }
        greedy.send(version.nullCall(0x99, CALLS));
        assertThat(greedy.next().xid()).isEqualTo(XID);
        assertThat(greedy.next().xid()).isEqualTo(XID);
        assertThat(greedy.next().xid()).isEqualTo(0x99);
        assertThat(echo.executed.get(1).get()).isEqualTo(2);
        assertThat(held()).isEqualTo(2 * MIB);
        expectAnswerTo(connectMore());
        fabric.completeSends(true);
        for (int i = 2; i < CALLS; i++) {
            assertThat(greedy.next().xid()).isEqualTo(XID);
        }
        assertThat(echo.executed.get(1).get()).isEqualTo(CALLS);
    }

    @Test
    @DisplayName("a peer that takes no reply loses its connection, and nothing of it is held")
    void shouldEndPeerThatTakesNoReply() throws Exception {
        transport.configure(PeerBounds.DEFAULT.withTimeouts(Duration.ofHours(1), Duration.ofMillis(300)));
        listen(4);
        RawPeer greedy = connectMore();
        Connection connection = connectionTo(greedy, (RpcServer) listener);
        fabric.completeSends(false);
        MemoryRegion sink = greedy.rdma().register(ByteBuffer.allocateDirect(MIB), Access.REMOTE_WRITE);
        for (int i = 0; i < CALLS; i++) {
            greedy.send(callWithWriteChunk(sink, MIB));
        }
        greedy.awaitEnd();
        connection.close();
        assertThat(connection.responder().held()).isZero();
        fabric.completeSends(true);
        expectAnswerTo(connectMore());
    }

    @Test
    @DisplayName("a call that waits for room goes on when another is dropped by some other thread")
    void shouldGoOnWhenRoomIsGivenBackWithoutReply() throws Exception {
        transport.configure(PeerBounds.DEFAULT.withReplies(MIB, MIB));
        listen(4);
        RawPeer peer = connectMore();
        program.behaviour = null;
        MemoryRegion sink = peer.rdma().register(ByteBuffer.allocateDirect(MIB), Access.REMOTE_WRITE);
        for (int i = 0; i < 3; i++) {
            peer.send(callWithWriteChunk(sink, MIB));
        }
        peer.send(version.nullCall(0x99, CALLS));
        RpcRequest first = program.next();
        program.next().reply(); // the one without chunks passes those that wait
        assertThat(peer.next().xid()).isEqualTo(0x99);
        assertThat(program.requests).isEmpty();
        first.drop();
        program.next().drop();
        program.next().drop();
        expectHeldNothing();
    }

    private void expectHeldNothing() {
        assertThat(held()).isZero();
    }

    @Test
    @DisplayName("calls that wait for room end with their connection")
    void shouldForgetWaitingCallsAtTheEnd() throws Exception {
        transport.configure(PeerBounds.DEFAULT.withReplies(MIB, MIB));
        listen(4);
        RawPeer peer = connectMore();
        program.behaviour = null;
        MemoryRegion sink = peer.rdma().register(ByteBuffer.allocateDirect(MIB), Access.REMOTE_WRITE);
        peer.send(callWithWriteChunk(sink, MIB));
        peer.send(callWithWriteChunk(sink, MIB));
        RpcRequest first = program.next();
        Connection connection = connectionTo(peer, (RpcServer) listener);
        peer.rdma().close();
        connection.close();
        first.reply();
        assertThat(connection.responder().held()).isZero();
        assertThat(program.requests).isEmpty();
    }

    @Test
    @DisplayName("a full listener lets a newcomer in for the connection that is idle longest")
    void shouldGiveSeatOfIdleConnectionToNewcomer() throws Exception {
        transport.configure(PeerBounds.DEFAULT.withIdleTime(Duration.ZERO));
        listen(2);
        RawPeer busy = connectMore();
        RawPeer idle = connectMore();
        program.behaviour = null;
        busy.send(version.nullCall(1, CALLS));
        RpcRequest underWay = program.next();
        RawPeer newcomer = connectMore();
        idle.awaitEnd();
        underWay.reply();
        assertThat(busy.next().xid()).isEqualTo(1);
        newcomer.send(version.nullCall(2, CALLS));
        program.next().reply();
        assertThat(newcomer.next().xid()).isEqualTo(2);
    }

    @Test
    @DisplayName("a full listener refuses a newcomer of an address whose connections were heard of lately")
    void shouldRefuseNewcomerWhereNobodyIsIdle() throws Exception {
        listen(1);
        RawPeer first = connectMore();
        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(RdmaException.class, this::connectMore)
                        .kind())
                .isEqualTo(RdmaException.Kind.REJECTED);
        expectAnswerTo(first);
    }
}
