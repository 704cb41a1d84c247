package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A connecting end that is called (RFC 8167), against a server that the test plays. */
final class ReverseResponderTest {
    private static final int CALLS = 4;
    private static final int GRANTED = TransportLimits.DEFAULT.reverseCredits();
    private static final int XID = 0x77;

    private final MemoryFabric fabric = new MemoryFabric();
    private final CallingProgram program = new CallingProgram();
    private RdmaRpcTransport transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    private Version version;
    private RawPeer.Listener listener;
    private RpcConnection connection;
    private RawPeer server;

    private void connect(Version spoken, Map<String, String> options) throws Exception {
        connect(spoken, RawPeer.NO_PRIVATE_DATA, options);
    }

    private void connect(Version spoken, byte[] privateData, Map<String, String> options) throws Exception {
        version = spoken;
        listener = new RawPeer.Listener(fabric, privateData);
        connection = transport.connect(TransportPair.options(
                listener.address(), CALLS, ConnectionObserver.NONE, Optional.of(program), version.options(options)));
        server = listener.next();
        exchange(1);
    }

    /** A forward call and its reply. */
    private void exchange(int granted) throws Exception {
        CompletableFuture<String> first = callNull();
        server.send(forwardReply(server.next().xid(), granted));
        awaitDone(first);
    }

    private CompletableFuture<String> callNull() {
        return connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
    }

    private static void awaitDone(CompletableFuture<String> call) throws Exception {
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    private ByteBuffer forwardReply(int xid, int credits) {
        return version.reply(xid, credits, Wire.MSG)
                .words(0, 0, 0)
                .accepted(xid)
                .done();
    }

    private Wire reverseCall(int xid) {
        return version.call(xid, 3, Wire.MSG).words(0, 0, 0).call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, 9);
    }

    private ByteBuffer reverseReply(int xid) {
        return version.reply(xid, GRANTED, Wire.MSG)
                .words(0, 0, 0)
                .accepted(xid)
                .done();
    }

    private ByteBuffer errChunk(int xid) {
        return version.badHeader(xid, GRANTED);
    }

    private void expect(ByteBuffer message) throws Exception {
        assertThat(server.next().octets()).isEqualTo(message);
    }

    /** The reverse direction is in order, and nothing came before. */
    private void expectAlive() throws Exception {
        server.send(reverseCall(0x99).done());
        program.next().reply();
        expect(reverseReply(0x99));
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-5.2-1", "V1-8.2.1-1"})
    @DisplayName("a reverse reply has its call's version and XID, REPLY, and grants credits")
    void shouldAnswer(Version spoken) throws Exception {
        connect(spoken, Map.of());
        server.send(reverseCall(XID).done());
        RpcRequest request = program.next();
        assertThat(request.procedure()).isEqualTo(9);
        request.reply();
        expect(reverseReply(XID));
    }

    @ParameterizedTest
    @EnumSource
    @Proves("V1-8.2.1-1")
    @DisplayName("a reply grants a credit even where none is configured")
    void shouldNeverGrantNothing(Version spoken) throws Exception {
        TransportLimits plain = TransportLimits.DEFAULT;
        transport.close();
        TransportLimits none = new TransportLimits(
                plain.receiveMargin(),
                0,
                plain.maxReverseCall(),
                plain.workQueueDepth(),
                plain.maxSegment(),
                plain.maxRead(),
                plain.pullBudget(),
                plain.poolIdle(),
                plain.versionsKept(),
                plain.reconnects());
        transport = new RdmaRpcTransport(
                new SystemRuntime(),
                none,
                new DirectMemory(),
                fabric,
                List.of(new VersionTwoFraming(), new VersionOneFraming()),
                new PrivateDataNegotiator());
        connect(spoken, Map.of());
        server.send(reverseCall(XID).done());
        program.next().reply();
        assertThat(server.next().word(2)).as("rdma_credit").isOne();
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-4.3.1-1", "BI-4.3.1-2", "BI-6-1"})
    @DisplayName("receives for reverse calls are posted on top of those for replies")
    void shouldPostReceivesForBothDirections(Version spoken) throws Exception {
        connect(spoken, Map.of());
        int all = CALLS + GRANTED + TransportLimits.DEFAULT.receiveMargin();
        assertThat(postedAtClient()).as("for two calls at first").isEqualTo(all - CALLS + 2);
        exchange(CALLS);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.add(callNull());
            xids.add(server.next().xid());
        }
        for (int i = 0; i < GRANTED; i++) {
            server.send(reverseCall(i).done());
        }
        List<RpcRequest> held = new ArrayList<>();
        for (int i = 0; i < GRANTED; i++) {
            held.add(program.next());
        }
        assertThat(postedAtClient()).isEqualTo(all - GRANTED).isGreaterThanOrEqualTo(CALLS);
        held.get(0).reply();
        expect(reverseReply(0));
        assertThat(postedAtClient()).isEqualTo(all - GRANTED + 1);

        server.rdma().close();
        server = listener.next(); // since there are calls to send again
        assertThat(postedAtClient()).isEqualTo(all);
        int again = server.next().xid(); // from now on the client has a version
        for (int i = 0; i < GRANTED; i++) {
            server.send(reverseCall(i).done());
            program.next();
        }
        for (int i = 0; i < CALLS; i++) {
            assertThat(i == 0 ? again : server.next().xid()).isEqualTo(xids.get(i));
            server.send(forwardReply(xids.get(i), 1));
            awaitDone(calls.get(i));
        }
    }

    private int postedAtClient() {
        return fabric.open().stream()
                .filter(end -> end.localAddress().equals(server.rdma().remoteAddress()))
                .findAny()
                .orElseThrow()
                .postedReceives();
    }

    @ParameterizedTest
    @EnumSource
    @Proves("BI-5.3-2")
    @DisplayName("where chunks are refused, a reverse call of any kind that has some is answered with ERR_CHUNK")
    void shouldRefuseChunks(Version spoken) throws Exception {
        connect(spoken, Map.of("reverse-chunks", "off"));
        server.send(version.call(XID, 1, Wire.MSG)
                .words(1, 40)
                .segment(1, 40, 2)
                .words(0, 0, 0)
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, 9)
                .done());
        expect(errChunk(XID));
        server.send(version.call(XID + 1, 1, Wire.MSG)
                .words(0, 1, 1)
                .segment(1, 2, 3)
                .words(0, 0)
                .call(XID + 1, EchoProgram.PROGRAM, EchoProgram.VERSION, 9)
                .done());
        expect(errChunk(XID + 1));
        server.send(version.call(XID + 2, 1, Wire.MSG)
                .words(0, 0, 1, 1)
                .segment(1, 2, 3)
                .call(XID + 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 9)
                .done());
        expect(errChunk(XID + 2));
        server.send(version.call(XID + 3, 1, Wire.NOMSG)
                .words(1, 0)
                .segment(1, 40, 2)
                .words(0, 0, 0)
                .done());
        expect(errChunk(XID + 3));
        expectAlive();
        assertThat(program.isQuiet()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-5.3-1", "BI-5.1-1"})
    @DisplayName("a long reverse call is pulled, its reply written where it says")
    void shouldTakeChunks(Version spoken) throws Exception {
        connect(spoken, Map.of());
        ByteBuffer stream = new Wire()
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, 9)
                .words(4711)
                .done();
        MemoryRegion call = server.rdma().register(stream, Access.REMOTE_READ);
        ByteBuffer room = ByteBuffer.allocateDirect(100);
        MemoryRegion reply = server.rdma().register(room, Access.REMOTE_WRITE);
        server.send(version.call(XID, 1, Wire.NOMSG)
                .words(1, 0)
                .segment(call.steeringTag(), 44, call.remoteOffset())
                .words(0, 0, 1, 1)
                .segment(reply.steeringTag(), 100, reply.remoteOffset())
                .done());
        RpcRequest request = program.next();
        assertThat(request.arguments().getInt()).isEqualTo(4711);
        request.results().putInt(4712);
        request.reply();
        expect(version.reply(XID, GRANTED, Wire.NOMSG)
                .words(0, 0, 1, 1)
                .segment(reply.steeringTag(), 28, reply.remoteOffset())
                .done());
        assertThat(room.limit(28))
                .isEqualTo(new Wire().accepted(XID).words(4712).done());

        ByteBuffer wrong = new Wire()
                .call(XID + 1, EchoProgram.PROGRAM, EchoProgram.VERSION, 9)
                .done();
        MemoryRegion other = server.rdma().register(wrong, Access.REMOTE_READ);
        server.send(version.call(XID, 1, Wire.NOMSG)
                .words(1, 0)
                .segment(other.steeringTag(), 40, other.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk(XID));
        expectAlive();
    }

    @ParameterizedTest
    @CsvSource({"ONE, 3072, 2048", "ONE, 2048, 3072", "TWO, 1024, 1024", "TWO, 1024, 8192"})
    @Proves({"BI-5.3-3", "BI-4.2-1", "V2-5.1-1"})
    @DisplayName("a reverse reply is as long as a forward call may be, and never longer")
    void shouldNotExceedTheThreshold(Version spoken, int sends, int receives) throws Exception {
        byte[] privateData = new PrivateDataNegotiator().privateData(new LocalSettings(sends, receives, false));
        connect(spoken, privateData, Map.of("inline", "8192"));
        int threshold = Math.max(receives, version.inlineThreshold());
        int results = threshold - version.bareHeader() - 24;
        server.send(reverseCall(XID).done());
        RpcRequest longest = program.next();
        longest.results().putFixedOpaque(new byte[results]);
        longest.reply();
        assertThat(server.next().octets().capacity()).isEqualTo(threshold);
        server.send(reverseCall(XID).done());
        RpcRequest tooLong = program.next();
        tooLong.results().putFixedOpaque(new byte[results + 4]);
        tooLong.reply();
        expect(errChunk(XID));
    }

    @ParameterizedTest
    @EnumSource
    @Proves("BI-8-1")
    @DisplayName("a reverse call has a credential of its own, refused without regard to the forward direction")
    void shouldCheckCredentialsApart(Version spoken) throws Exception {
        connect(spoken, Map.of());
        server.send(version.call(XID, 3, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 0, 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 9)
                .words(1, 20, 5, 0, 1001, 1002, 0) // AUTH_SYS
                .words(0, 0)
                .done());
        RpcRequest request = program.next();
        assertThat(request.credential()).isInstanceOfSatisfying(Credential.Sys.class, sys -> assertThat(sys.uid())
                .isEqualTo(1001));
        CompletableFuture<String> forward = callNull();
        int xid = server.next().xid();
        request.reject(AuthStatus.AUTH_BADCRED);
        expect(version.reply(XID, GRANTED, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 1, 1, 1, 1)
                .done());
        assertThat(forward).isNotDone();
        server.send(forwardReply(xid, 1));
        awaitDone(forward);
    }

    @Test
    @Proves({"BI-4.1-2", "V1-8.3.3-1"})
    @DisplayName(
            "what comes without a direction, as in Version One it may, and answers no call is dropped, not answered")
    void shouldNotAnswerWhatHasNoDirection() throws Exception {
        connect(Version.ONE, Map.of());
        CompletableFuture<String> call = callNull();
        int xid = server.next().xid();
        CompletableFuture<String> next = callNull();
        server.send(version.call(XID, 7, Wire.MSG).words(2).done());
        server.send(version.call(XID, 7, 99).words(0, 0, 0).done());
        server.send(version.call(XID, 7, Wire.NOMSG).words(0, 0, 0).done());
        server.send(version.call(XID, 7, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 0, 2, EchoProgram.PROGRAM)
                .done());
        server.send(Wire.header(9, XID, 7, Wire.MSG).words(0, 0, 0).done());
        expectAlive(); // and no second forward call
        server.send(forwardReply(xid, 1));
        awaitDone(call);
        server.send(forwardReply(server.next().xid(), 1));
        awaitDone(next);
        assertThat(TransportPair.count(transport, Counter.DROPPED.label())).isEqualTo(5);
    }

    @Test
    @Proves("BI-4.1-2")
    @DisplayName("an unreadable Version Two header that tells it is a call is answered, that of a reply is not")
    void shouldBelieveTheDirectionOfAnUnreadableHeader() throws Exception {
        connect(Version.TWO, Map.of());
        CompletableFuture<String> call = callNull();
        int xid = server.next().xid();
        server.send(version.call(xid, 7, Wire.MSG).words(2).done());
        expect(errChunk(xid));
        server.send(version.reply(xid + 64, 7, Wire.MSG).words(2).done());
        expectAlive();
        assertThat(call).isNotDone();
        server.send(forwardReply(xid, 1));
        awaitDone(call);
    }

    @ParameterizedTest
    @EnumSource
    @Proves("BI-4.1-1")
    @DisplayName("the credits that reverse calls ask for grant nothing in the forward direction")
    void shouldTakeNoGrantFromReverseCalls(Version spoken) throws Exception {
        connect(spoken, Map.of());
        CompletableFuture<String> call = callNull();
        CompletableFuture<String> waits = callNull();
        int xid = server.next().xid();
        server.send(reverseCall(xid).done());
        program.next().reply();
        expect(reverseReply(xid)); // no second forward call before it, though the credit value was 3
        expectAlive();
        assertThat(call).isNotDone();
        server.send(forwardReply(xid, 1));
        awaitDone(call);
        server.send(forwardReply(server.next().xid(), 1));
        awaitDone(waits);
    }
}
