package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.DirectionClassifier;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.RdmaPeer;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Reverse calls: what they look like, how many and how long they are, and how they end. */
final class ReverseRequesterTest extends ReverseRequesterFixture {
    private static final int REVERSE_CREDITS = TransportLimits.DEFAULT.reverseCredits();

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-5.1-1", "V1-8.2.1-1"})
    @DisplayName("a reverse call has the connection's version, one XID, CALL, and asks for credits")
    void shouldSendReverseCall(Version spoken) throws Exception {
        connect(spoken);
        CompletableFuture<String> call = callBack();
        Message message = client.next();
        int xid = message.xid();
        assertThat(message.octets())
                .isEqualTo(version.call(xid, REVERSE_CREDITS, Wire.MSG)
                        .words(0, 0, 0)
                        .call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                        .done());
        client.send(reply(xid, 3));
        awaitBack(call);
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-4.1-1", "V1-8.2.1-1"})
    @DisplayName("reverse credits are one at first, then those granted in reverse replies alone")
    void shouldKeepToReverseCredits(Version spoken) throws Exception {
        connect(spoken);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(callBack());
        }
        Message first = client.next();
        assertThat(client.isQuiet()).isTrue(); // sends arrive at once here, and by the thread that calls
        expectForward(); // whose credit request is of the other direction
        assertThat(client.isQuiet()).isTrue();
        client.send(reply(first.xid(), 2));
        Message second = client.next();
        Message third = client.next();
        expectForward();
        assertThat(client.isQuiet()).isTrue();
        client.send(reply(second.xid(), 0)); // not to be, and no grant
        Message fourth = client.next();
        expectForward();
        assertThat(client.isQuiet()).isTrue();
        client.send(reply(third.xid(), 2));
        Message fifth = client.next();
        client.send(reply(fourth.xid(), 2));
        client.send(reply(fifth.xid(), 2));
        client.send(reply(client.next().xid(), 2));
        for (CompletableFuture<String> call : calls) {
            awaitBack(call);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ONE, 3072, 2048, true",
        "ONE, 3072, 2048, false",
        "ONE, 2048, 3072, true",
        "ONE, 2048, 3072, false",
        "TWO, 6144, 5120, true",
        "TWO, 6144, 5120, false",
        "TWO, 5120, 6144, true",
        "TWO, 5120, 6144, false"
    })
    @Proves("BI-4.2-1")
    @DisplayName("a reverse call is as long as a forward reply may be, a reverse reply as a forward call")
    void shouldKeepToTheThresholds(Version spoken, int receives, int sends, boolean fits) throws Exception {
        byte[] privateData = new PrivateDataNegotiator().privateData(new LocalSettings(sends, receives, true));
        connect(spoken, privateData, Map.of("inline", "8192"));
        int beyond = fits ? 0 : 4;
        RpcCall call = TransportPair.call(EchoProgram.NULL).maxReplySize(sends - version.bareHeader() + beyond);
        call.arguments()
                .putFixedOpaque(new byte[receives - version.bareHeader() - DirectionClassifier.MIN_CALL + beyond]);
        CompletableFuture<String> back = peer.call(call, in -> "back");
        Message message = client.next();
        Chunks chunks = message.chunks();
        assertThat(chunks.writes()).isEmpty();
        if (fits) {
            assertThat(message.octets().capacity()).isEqualTo(receives);
            assertThat(message.procedure()).isEqualTo(Wire.MSG);
            assertThat(chunks.reads()).isEmpty();
            assertThat(chunks.reply()).isNull();
        } else {
            assertThat(message.procedure()).isEqualTo(Wire.NOMSG);
            assertThat(chunks.reads()).hasSize(1);
            assertThat(chunks.reply()).hasSize(1);
            assertThat(chunks.rpc().hasRemaining()).isFalse();
        }
        client.send(reply(message.xid(), 1));
        awaitBack(back);
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-5.3-3", "ULB-5.5.2-3"})
    @DisplayName("without reverse chunks no call exceeds the threshold, and none offers memory")
    void shouldUseNoChunksWhereThereAreNone(Version spoken) throws Exception {
        connect(spoken, RawPeer.NO_PRIVATE_DATA, Map.of("reverse-chunks", "off"));
        int threshold = version.inlineThreshold();
        int headers = version.bareHeader() + DirectionClassifier.MIN_CALL;
        RpcCall tooLong = TransportPair.call(EchoProgram.NULL);
        tooLong.arguments().putFixedOpaque(new byte[threshold - headers + 4]);
        assertThat(failureOf(peer.call(tooLong, in -> "back")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chunks");
        assertThat(client.isQuiet()).isTrue();

        RpcCall longest =
                TransportPair.call(EchoProgram.NULL).maxReplySize(1 << 20).expectData(ByteBuffer.allocate(1 << 16));
        longest.arguments().putFixedOpaque(new byte[threshold - headers]);
        CompletableFuture<String> call = peer.call(longest, in -> "back");
        Message message = client.next();
        assertThat(message.octets().capacity()).isEqualTo(threshold);
        assertThat(message.procedure()).isEqualTo(Wire.MSG);
        assertThat(TransportPair.count(transport, "registrations")).isZero();
        client.send(reply(message.xid(), 1));
        awaitBack(call);
    }

    @ParameterizedTest
    @EnumSource
    @Proves("BI-5.4-1")
    @DisplayName("after a loss nothing is sent again, even when the client has connected again")
    void shouldNotRetransmit(Version spoken) throws Exception {
        connect(spoken);
        grant(2);
        List<CompletableFuture<String>> calls = List.of(callBack(), callBack(), callBack());
        client.next();
        client.next();
        client.rdma().close();
        for (CompletableFuture<String> call : calls) {
            assertThat(failureOf(call)).isInstanceOf(TransportLostException.class);
        }
        RpcPeer former = peer;
        connectClient(RawPeer.NO_PRIVATE_DATA);
        expectForward();
        assertThat(client.isQuiet()).isTrue();
        peer = former;
        assertThat(failureOf(callBack())).isInstanceOf(TransportLostException.class);
        assertThat(count(Counter.RETRANSMISSIONS)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @Proves({"BI-5.4-1", "BI-4.1-1"})
    @DisplayName("a reverse call may time out; the connection goes on though all credits are held")
    void shouldGoOnThoughReverseCallsAreNeverAnswered(Version spoken) throws Exception {
        connect(spoken);
        for (int i = 0; i < 3; i++) {
            RpcCall call = TransportPair.call(EchoProgram.NULL).timeout(Duration.ofMillis(20));
            assertThat(failureOf(peer.call(call, in -> "back"))).isInstanceOf(CallTimedOutException.class);
        }
        CompletableFuture<String> waits = callBack();
        Message unanswered = client.next();
        expectForward();
        client.send(reply(unanswered.xid(), 1)); // late, which gives the credit back
        client.send(reply(client.next().xid(), 1));
        awaitBack(waits);
        assertThat(client.isConnected()).isTrue();
    }

    @Test
    @Proves("BI-5.1-1")
    @DisplayName("before the first forward message there is no version to call in, and a call says so")
    void shouldNotCallBeforeTheFirstMessage() throws Exception {
        TransportContext context =
                new TransportContext(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
        context.services().add(new VersionOneFraming());
        context.services().add(new VersionTwoFraming());
        Connection connection = new Connection(
                1,
                context,
                fabric,
                TransportOptions.parse(Map.of()),
                (ended, cause) -> assertThat(ended).isNull(),
                new Counters());
        peer = RdmaPeer.connecting(connection, MemoryFabric.address(7));
        assertThat(failureOf(callBack()))
                .isInstanceOf(TransportLostException.class)
                .hasMessageContaining("before it has sent a message");
        context.workers().close();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a program that remembers a peer, or a future, does not keep its connection's memory")
    void shouldLetGoOfTheConnection(Version spoken) throws Exception {
        connect(spoken);
        grant(1);
        CompletableFuture<String> lost = callBack();
        WeakReference<MemoryConnection> end = new WeakReference<>(fabric.open().stream()
                .filter(each -> each.remoteAddress().equals(client.rdma().localAddress()))
                .findAny()
                .orElseThrow());
        client.rdma().close();
        assertThat(failureOf(lost)).isInstanceOf(TransportLostException.class);
        fabric.awaitAllEnded();
        client = null;
        for (int i = 0; i < 100 && end.get() != null; i++) {
            System.gc();
            Thread.onSpinWait();
        }
        assertThat(end.get()).isNull();
        assertThatThrownBy(() -> callBack().get(1, TimeUnit.SECONDS)).hasCauseInstanceOf(TransportLostException.class);
        peer.disconnect(); // of no effect
    }
}
