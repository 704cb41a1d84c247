package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.ERR_VERS;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.assertVersion;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.awaitDone;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.call;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.reply;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.versionError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.OfferedVersions;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How both ends come to a version (draft-cel-nfsv4-rpcrdma-version-two-01 section 5), against peers that tests play.
 */
final class VersionNegotiationTest {
    private static final int CALL = 0;
    private static final int OPTIONAL = 5;
    private static final int ERR_INVAL_OPTION = 3;
    private static final int XID = 0x1234;

    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    private RawPeer.Listener listener;

    @BeforeEach
    void listen() throws Exception {
        listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA);
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    private RpcConnection connect(String version) throws Exception {
        return transport.connect(
                TransportPair.options(listener.address(), 4, ConnectionObserver.NONE, Map.of("rpcrdma", version)));
    }

    @Test
    @Proves({"V2-5-1", "V2-5.1-1", "V2-5.2-4"})
    @DisplayName("one message of at most 1024 octets first, 4096 after the first reply")
    void shouldOpenWithOneShortMessage() throws Exception {
        RpcConnection connection = connect("auto");
        RawPeer server = listener.next();
        CompletableFuture<String> first = call(connection, 3000);
        CompletableFuture<String> second = call(connection, 3000);

        Message opening = server.next();
        assertVersion(opening, 2);
        assertThat(opening.octets().capacity()).isLessThanOrEqualTo(1024);
        assertThat(opening.word(3)).as("rdma_proc").isEqualTo(Wire.NOMSG);
        assertThat(opening.word(4)).as("rdma_direction").isEqualTo(CALL);
        assertThat(server.isQuiet()).isTrue(); // sends arrive at once here, and by the thread that calls

        server.send(reply(2, opening.xid(), 4));
        awaitDone(first);
        Message inline = server.next();
        assertVersion(inline, 2);
        assertThat(inline.word(3)).as("rdma_proc").isEqualTo(Wire.MSG);
        assertThat(inline.octets().capacity()).isEqualTo(32 + 40 + 3000);
        server.send(reply(2, inline.xid(), 4));
        awaitDone(second);
        assertThat(connection.settings()).containsEntry("version", "2").containsEntry("callThreshold", "4096");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Proves("V2-5.2-2")
    @DisplayName("ERR_VERS, whatever its own version: the call goes out again in one that the peer speaks")
    void shouldGoOnInVersionOne(int versionOfError) throws Exception {
        RpcConnection connection = connect("auto");
        RawPeer server = listener.next();
        CompletableFuture<String> first = call(connection, 3000);
        CompletableFuture<String> second = call(connection, 0);
        Message opening = server.next();
        assertVersion(opening, 2);

        server.send(versionError(versionOfError, opening.xid(), 1, 1));

        Message again = server.next();
        assertVersion(again, 1);
        assertThat(again.word(3)).as("rdma_proc").isEqualTo(Wire.NOMSG);
        assertThat(server.isQuiet()).isTrue(); // an error grants nothing
        server.send(reply(1, again.xid(), 4));
        awaitDone(first);
        Message next = server.next();
        assertVersion(next, 1);
        server.send(reply(1, next.xid(), 4));
        awaitDone(second);
        assertThat(connection.settings()).containsEntry("version", "1").containsEntry("callThreshold", "1024");
        assertThat(TransportPair.count(transport, "registrations")).isZero();
    }

    @Test
    @Proves("V2-5.2-3")
    @DisplayName("a peer that sent ERR_VERS is spoken to in its version when it is connected to again")
    void shouldRememberTheVersion() throws Exception {
        CompletableFuture<String> first = call(connect("auto"), 0);
        RawPeer server = listener.next();
        server.send(versionError(2, server.next().xid(), 1, 1));
        server.rdma().close();

        RawPeer another = listener.next();
        Message again = another.next();
        assertVersion(again, 1);
        another.send(reply(1, again.xid(), 4));
        awaitDone(first);

        CompletableFuture<String> other = call(connect("auto"), 0);
        RawPeer third = listener.next();
        Message message = third.next();
        assertVersion(message, 1);
        third.send(reply(1, message.xid(), 4));
        awaitDone(other);
    }

    @Test
    @Proves("V2-5.2-3")
    @DisplayName("a first message that is lost with its connection is sent in Version One on the next")
    void shouldNotLoopWhereTheFirstMessageIsLost() throws Exception {
        CompletableFuture<String> call = call(connect("auto"), 0);
        RawPeer server = listener.next();
        assertVersion(server.next(), 2);
        server.rdma().close();

        RawPeer another = listener.next();
        Message again = another.next();
        assertVersion(again, 1);
        another.send(reply(1, again.xid(), 4));
        awaitDone(call);
    }

    @Test
    @Proves("V2-5.2-3")
    @DisplayName("a first message that is never answered is not offered again on the next connection")
    void shouldNotLoopWhereTheFirstMessageIsDropped() throws Exception {
        RpcConnection connection = connect("auto");
        CompletableFuture<String> unanswered = connection.call(
                TransportPair.call(EchoProgram.NULL).maxReplySize(100).timeout(Duration.ofMillis(50)), in -> "done");
        assertVersion(listener.next().next(), 2);
        assertThatThrownBy(() -> unanswered.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(CallTimedOutException.class);
        connection.close();

        CompletableFuture<String> call = call(connect("auto"), 0);
        RawPeer another = listener.next();
        Message message = another.next();
        assertVersion(message, 1);
        another.send(reply(1, message.xid(), 4));
        awaitDone(call);
    }

    @Test
    @Proves("V2-5.2-2")
    @DisplayName("an ERR_VERS that answers no call, or has a range beyond all bounds, changes nothing")
    void shouldTakeNoVersionFromNobody() throws Exception {
        CompletableFuture<String> call = call(connect("auto"), 0);
        RawPeer server = listener.next();
        Message opening = server.next();
        server.send(versionError(2, opening.xid() + 1, 1, 1));
        server.send(reply(2, opening.xid(), 4));
        awaitDone(call);

        CompletableFuture<String> refused = call(connect("auto"), 0);
        RawPeer another = listener.next();
        Message second = another.next();
        assertVersion(second, 2);
        another.send(versionError(2, second.xid(), 0, -1));
        Message again = another.next();
        assertVersion(again, 1);
        another.send(reply(1, again.xid(), 4));
        awaitDone(refused);
    }

    @Test
    @Proves("V2-5.2-3")
    @DisplayName("a connection that is lost after the first reply says nothing of the version")
    void shouldGoOnOfferingVersionTwo() throws Exception {
        RpcConnection connection = connect("auto");
        CompletableFuture<String> first = call(connection, 0);
        RawPeer server = listener.next();
        Message opening = server.next();
        assertVersion(opening, 2);
        server.send(reply(2, opening.xid(), 4));
        awaitDone(first);

        CompletableFuture<String> second = call(connection, 0);
        server.next();
        server.rdma().close();
        RawPeer another = listener.next();
        Message again = another.next();
        assertVersion(again, 2);
        another.send(reply(2, again.xid(), 4));
        awaitDone(second);
    }

    @Test
    @Proves("V2-5.2-2")
    @DisplayName("a peer of Version Two only, whose first answer was lost, is spoken to in Version Two all the same")
    void shouldTakeAHigherVersionThanItThought() throws Exception {
        CompletableFuture<String> call = call(connect("auto"), 0);
        RawPeer server = listener.next();
        assertVersion(server.next(), 2);
        server.rdma().close();

        RawPeer another = listener.next();
        Message lower = another.next();
        assertVersion(lower, 1);
        another.send(versionError(1, lower.xid(), 2, 2));
        Message higher = another.next();
        assertVersion(higher, 2);
        another.send(versionError(1, higher.xid(), 2, 2)); // each is tried once
        assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(PeerProtocolException.class);
    }

    @Test
    @DisplayName("a version that was answered late is offered again")
    void shouldForgetWhatALateReplyDisproves() throws Exception {
        RpcConnection connection = connect("auto");
        CompletableFuture<String> late = connection.call(
                TransportPair.call(EchoProgram.NULL).maxReplySize(100).timeout(Duration.ofMillis(50)), in -> "done");
        RawPeer server = listener.next();
        Message opening = server.next();
        assertThatThrownBy(() -> late.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(CallTimedOutException.class);
        server.send(reply(2, opening.xid() + 1, 4)); // answers nothing, and settles nothing
        assertThat(connection.settings()).containsEntry("callThreshold", "4096");
        server.send(reply(2, opening.xid(), 4));
        while (TransportPair.count(transport, Counter.LATE_REPLIES.label()) == 0) {
            Thread.onSpinWait(); // else the next call finds no credit, and the connection useless
        }
        CompletableFuture<String> next = call(connection, 0);
        server.send(reply(2, server.next().xid(), 4));
        awaitDone(next);

        CompletableFuture<String> other = call(connect("auto"), 0);
        RawPeer another = listener.next();
        Message message = another.next();
        assertVersion(message, 2);
        another.send(reply(2, message.xid(), 4));
        awaitDone(other);
    }

    @Test
    @Proves("V2-5.2-2")
    @DisplayName("a call fails where no version is common")
    void shouldFailWithoutCommonVersion() throws Exception {
        CompletableFuture<String> call = call(connect("auto"), 0);
        RawPeer server = listener.next();
        server.send(versionError(2, server.next().xid(), 3, 5));

        assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(PeerProtocolException.class)
                .hasMessageContaining("versions 3 to 5 only");
    }

    @Test
    void shouldKeepToTheVersionAskedFor() throws Exception {
        CompletableFuture<String> two = call(connect("2"), 0);
        RawPeer server = listener.next();
        Message opening = server.next();
        assertVersion(opening, 2);
        server.send(versionError(2, opening.xid(), 1, 1));
        assertThatThrownBy(() -> two.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(PeerProtocolException.class);

        CompletableFuture<String> one = call(connect("1"), 0);
        RawPeer another = listener.next();
        Message first = another.next();
        assertVersion(first, 1);
        another.send(reply(1, first.xid(), 4));
        awaitDone(one);
    }

    private RawPeer connectToServer() throws Exception {
        RpcListener server = transport.listen(TransportPair.listenOptions(64, Map.of()), new EchoProgram());
        return RawPeer.connect(fabric, server.localAddress(), RawPeer.NO_PRIVATE_DATA);
    }

    private static ByteBuffer callOf(int version, int xid) {
        Wire wire = Wire.header(version, xid, 4, Wire.MSG);
        return (version == 2 ? wire.words(CALL) : wire)
                .words(0, 0, 0)
                .call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                .done();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Proves({"V2-5.3-1", "V2-5.1-1"})
    @DisplayName("a reply has the version of its call")
    void shouldAnswerInTheVersionOfTheCall(int version) throws Exception {
        RawPeer client = connectToServer();
        for (int i = 0; i < 3; i++) {
            client.send(callOf(version, XID + i));
            Message reply = client.next();
            assertVersion(reply, version);
            assertThat(reply.octets().slice(0, 8))
                    .isEqualTo(reply(version, XID + i, 64).slice(0, 8));
            assertThat(reply.words()).isEqualTo(version == 2 ? 14 : 13);
        }
    }

    @Test
    @Proves("V2-3.1-1")
    @DisplayName("an unknown rdma_opttype is answered with the same xid and RDMA2_ERR_INVAL_OPTION")
    void shouldRefuseUnknownOptions() throws Exception {
        RawPeer client = connectToServer();
        client.send(Wire.header(2, XID, 4, OPTIONAL)
                .words(CALL, 0x77, 3, 0x01020300)
                .done());

        Message refusal = client.next();
        assertThat(refusal.words()).isEqualTo(5);
        assertThat(refusal.xid()).isEqualTo(XID);
        assertVersion(refusal, 2);
        assertThat(refusal.word(3)).isEqualTo(Wire.ERROR);
        assertThat(refusal.word(4)).isEqualTo(ERR_INVAL_OPTION);

        client.send(callOf(2, XID + 1));
        assertThat(client.next().xid()).isEqualTo(XID + 1);
    }

    @Test
    @Proves("V2-5.2-1")
    @DisplayName("after ERR_VERS a requester may go on in a version of the range")
    void shouldTakeAnotherVersionAfterRefusingOne() throws Exception {
        RawPeer client = connectToServer();
        client.send(callOf(3, XID));
        Message refusal = client.next();
        assertThat(refusal.word(3)).isEqualTo(Wire.ERROR);
        assertThat(refusal.word(4)).isEqualTo(ERR_VERS);
        assertThat(refusal.word(5)).as("lowest").isEqualTo(1);
        assertThat(refusal.word(6)).as("highest").isEqualTo(2);

        client.send(callOf(2, XID + 1));
        assertVersion(client.next(), 2);
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 1, 1", "2, 1, 2, 2", "1, 3, 1, 2", "2, 3, 1, 2", "1, 0, 1, 2", "1, -1, 1, 2"})
    @Proves({"V1-5.5-2", "V2-5.2-1"})
    @DisplayName("a connection begun in one version refuses another with a range that leaves out the refused version")
    void shouldLeaveTheRefusedVersionOutOfTheRange(int begun, int refused, int low, int high) throws Exception {
        RawPeer client = connectToServer();
        client.send(callOf(begun, XID));
        assertVersion(client.next(), begun);

        client.send(callOf(refused, XID + 1));
        Message refusal = client.next();
        assertThat(refusal.xid()).isEqualTo(XID + 1);
        assertVersion(refusal, begun);
        assertThat(refusal.word(3)).isEqualTo(Wire.ERROR);
        assertThat(refusal.word(4)).isEqualTo(ERR_VERS);
        assertThat(refusal.word(5)).as("lowest").isEqualTo(low);
        assertThat(refusal.word(6)).as("highest").isEqualTo(high);

        client.send(callOf(begun, XID + 2));
        assertVersion(client.next(), begun);
    }

    @Test
    @Proves("V2-5.2-1")
    @DisplayName("the range of a connection holds its version where that is not offered any more")
    void shouldKeepTheConnectionsVersionInTheRange() {
        Framing one = new VersionOneFraming();
        Framing two = new VersionTwoFraming();
        assertThat(OfferedVersions.of(List.of(two), one, 2)).isEqualTo(new OfferedVersions(1, 1));
        assertThat(OfferedVersions.of(List.of(one), two, 1)).isEqualTo(new OfferedVersions(2, 2));
        assertThat(OfferedVersions.of(List.of(), two, 3)).isEqualTo(new OfferedVersions(2, 2));
    }
}
