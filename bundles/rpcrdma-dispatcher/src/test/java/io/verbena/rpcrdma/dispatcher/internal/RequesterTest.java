package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The requester against a server that the test plays, in either version. */
@ParameterizedClass
@CsvSource({"ONE, false", "TWO, false", "ONE, true", "TWO, true"})
final class RequesterTest {
    private final Version version;
    private final MemoryFabric fabric;
    private final RdmaRpcTransport transport;
    private final List<CompletableFuture<?>> started = new ArrayList<>();
    private RawPeer.Listener listener;
    private RpcConnection connection;
    private RawPeer server;

    RequesterTest(Version version, boolean device) {
        this.version = version;
        fabric = device ? MemoryFabric.ofDevices() : new MemoryFabric();
        transport = Rig.transportOfBoth(Tuning.DEFAULT, fabric);
    }

    @BeforeEach
    void listen() throws Exception {
        connect(4, RawPeer.NO_PRIVATE_DATA);
    }

    /**
     * Connects, or connects anew, with a server that sends that private data. In Version Two the first message is one of
     * few octets whatever follows, and so is gone before a test of something else begins.
     */
    private void connect(int outstanding, byte[] privateData) throws Exception {
        open(outstanding, privateData);
        if (version == Version.TWO) {
            grant(1);
        }
    }

    private void open(int outstanding, byte[] privateData) throws Exception {
        if (connection != null) {
            connection.close();
        }
        listener = new RawPeer.Listener(fabric, privateData);
        connection = transport.connect(
                Rig.options(listener.address(), outstanding, ConnectionObserver.NONE, version.options()));
        server = listener.next();
    }

    private static byte[] privateData(int size, boolean invalidation) {
        return new PrivateDataNegotiator().privateData(new LocalSettings(size, size, invalidation));
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    private CompletableFuture<String> callNull() {
        return connection.call(Rig.call(EchoProgram.NULL), in -> "done");
    }

    private int registrations() {
        return (int) Rig.count(transport, "registrations");
    }

    private long count(Counter counter) {
        return Rig.count(transport, counter.label());
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static Throwable failureOf(CompletableFuture<?> call) throws Exception {
        try {
            call.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause();
        }
        throw new AssertionError("the call did not fail");
    }

    private void awaitNull(CompletableFuture<String> call) throws Exception {
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    /** Has the server answer a first call, so that further ones may be in flight. */
    private void grant(int credits) throws Exception {
        CompletableFuture<String> first = callNull();
        server.send(version.nullReply(server.next().xid(), credits));
        awaitNull(first);
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
    void shouldTellWhetherACallThatTimedOutWasSent() throws Exception {
        CompletableFuture<String> holdsTheCredit =
                connection.call(Rig.call(EchoProgram.NULL).timeout(Duration.ofMillis(40)), in -> "done");
        CompletableFuture<String> waits =
                connection.call(Rig.call(EchoProgram.NULL).timeout(Duration.ofMillis(20)), in -> "done");

        assertThat(failureOf(waits))
                .isInstanceOfSatisfying(CallTimedOutException.class, late -> assertThat(late.wasSent())
                        .isFalse());
        assertThat(failureOf(holdsTheCredit))
                .isInstanceOfSatisfying(CallTimedOutException.class, late -> assertThat(late.wasSent())
                        .isTrue());
    }

    @Test
    @Proves("V1-4.3.1-2")
    @DisplayName("only one call goes out before the first reply")
    void shouldAssumeOneCredit() throws Exception {
        open(4, RawPeer.NO_PRIVATE_DATA);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(callNull());
        }
        Message first = server.next();
        assertThat(server.isQuiet()).isTrue(); // sends arrive at once here, and by the thread that calls
        server.send(version.nullReply(first.xid(), 2));
        server.send(version.nullReply(server.next().xid(), 2));
        server.send(version.nullReply(server.next().xid(), 2));
        for (CompletableFuture<String> call : calls) {
            awaitNull(call);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 1000, -1})
    @Proves({"V1-4.3-4", "V1-4.3-5", "V1-4.3-7"})
    @DisplayName("no more calls are in flight than the lower of request and grant")
    void shouldKeepWithinGrant(int granted) throws Exception {
        grant(granted);
        int expected = granted < 0 ? 4 : Math.min(granted, 4);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            calls.add(callNull());
        }
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < expected; i++) {
            xids.add(server.next().xid());
        }
        assertThat(server.isQuiet()).isTrue();
        for (int answered = 0; answered < 12; answered++) {
            server.send(version.nullReply(xids.get(answered), granted));
            calls.get(answered).get(10, TimeUnit.SECONDS);
            if (answered + expected < 12) {
                xids.add(server.next().xid());
            }
            assertThat(server.isQuiet()).isTrue();
        }
    }

    @Test
    @Proves("V1-4.3-4")
    @DisplayName("a grant may shrink: calls then wait until fewer are in flight")
    void shouldFollowShrinkingGrant() throws Exception {
        grant(4);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(callNull());
        }
        int[] xids = {
            server.next().xid(),
            server.next().xid(),
            server.next().xid(),
            server.next().xid()
        };
        for (int i = 0; i < 3; i++) {
            server.send(version.nullReply(xids[i], 1));
            awaitNull(calls.get(i));
            assertThat(server.isQuiet()).isTrue();
        }
        server.send(version.nullReply(xids[3], 2));
        awaitNull(calls.get(3));
        server.send(version.nullReply(server.next().xid(), 2));
        server.send(version.nullReply(server.next().xid(), 2));
        awaitNull(calls.get(5));
    }

    @Test
    @Proves("V1-4.3-3")
    @DisplayName("a grant of zero is not believed")
    void shouldSurviveGrantOfZero() throws Exception {
        grant(0);
        CompletableFuture<String> next = callNull();
        server.send(version.nullReply(server.next().xid(), 0));
        awaitNull(next);
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
        RpcCall call = Rig.call(EchoProgram.WRITE);
        call.arguments().putOpaque(EchoProgram.bytes(9, length));
        return call;
    }

    @Test
    @Proves({"V1-4.4.3.1-1", "V1-4.4.4-1", "V1-4.4.4.1-1", "V1-4.4.4.1-2", "V1-4.4.4.1-4", "V1-5.2.1-1"})
    @DisplayName("data items leave the stream without padding, each at the position that it has in the whole message")
    void shouldMoveArgumentsByReadChunks() throws Exception {
        RpcCall call = Rig.call(EchoProgram.WRITE);
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
    @Proves({"V1-4.4.5-1", "V1-4.4.5.1-1", "V1-4.4.5.2-4", "V1-5.2.2-3", "V1-5.2.3-1"})
    @DisplayName("results land in their sinks")
    void shouldTakeResultsFromWriteChunks() throws Exception {
        ByteBuffer one = ByteBuffer.allocate(2000);
        ByteBuffer two = ByteBuffer.allocate(3000);
        ByteBuffer three = ByteBuffer.allocate(12);
        RpcCall call = Rig.call(EchoProgram.READ)
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
        RpcCall call = Rig.call(EchoProgram.READ).expectData(sink);
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
    @Proves({"V1-4.6.3-3", "V1-5.2.3-1", "V1-5.3.4-1"})
    @DisplayName("a reply that may be too long for a Send comes in the Reply chunk")
    void shouldTakeLongReply() throws Exception {
        int longest = version.inlineThreshold() - version.bareHeader();
        RpcCall call = Rig.call(EchoProgram.READ).maxReplySize(longest + 1);
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

    @Test
    @Proves("V1-5.2.3-1")
    @DisplayName("no chunk is offered for what fits inline with the sinks' data")
    void shouldOfferNoChunkForReplyThatFits() throws Exception {
        ByteBuffer sink = ByteBuffer.allocate(401);
        int rest = version.inlineThreshold() - version.bareHeader() - 404;
        started.add(connection.call(Rig.call(EchoProgram.READ).expectData(sink).maxReplySize(rest), in -> "done"));
        assertThat(server.next().octets().capacity()).isEqualTo(version.bareHeader() + 40);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "two", "segments", "length", "reply", "read", "nomsg", "xid", "short", "call"})
    @Proves({"V1-5.5-4", "V1-4.4.5-3", "V1-5.1.1-1", "V1-6.3-1"})
    @DisplayName("a reply that does not answer what was offered fails its call alone")
    void shouldRefuseReplyThatDoesNotMatch(String fault) throws Exception {
        grant(4);
        ByteBuffer sink = ByteBuffer.allocate(2 * version.inlineThreshold());
        CompletableFuture<Integer> future =
                connection.call(Rig.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
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

    @Test
    @Proves({"V1-5.5-4", "V1-5.5-5"})
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
    @Proves({"V1-4.3.1-2", "V1-8.3.3-1"})
    @DisplayName("only a valid reply brings credits")
    void shouldTakeNoCreditsFromInvalidReply() throws Exception {
        CompletableFuture<String> call = callNull();
        int xid = server.next().xid();
        server.send(
                version.reply(xid, 4, Wire.MSG).words(0, 0, 0).accepted(xid + 1).done());
        assertThat(failureOf(call)).isInstanceOf(PeerProtocolException.class);
        started.add(callNull());
        started.add(callNull());
        server.next();
        assertThat(server.isQuiet()).isTrue();
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
    @ValueSource(strings = {"timeout", "cancel", "orTimeout"})
    @Proves({"V1-5.4.1-1", "V1-5.4.1-2", "V1-10.1-1", "V1-10.1-4"})
    @DisplayName("a call given up is fenced before its future completes")
    void shouldFenceCallGivenUp(String how) throws Exception {
        grant(2);
        ByteBuffer sink = ByteBuffer.allocateDirect(5000);
        RpcCall call = Rig.call(EchoProgram.READ).expectData(sink);
        if (how.equals("timeout")) {
            call.timeout(Duration.ofMillis(20));
        }
        CompletableFuture<Integer> future = connection.call(call, in -> in.getDataInto(sink));
        CompletableFuture<Integer> openAtEnd = future.handle((value, failure) -> registrations());
        Message sent = server.next();
        if (how.equals("cancel")) {
            assertThat(registrations()).isOne();
            assertThat(future.cancel(false)).isTrue();
        } else if (how.equals("orTimeout")) {
            future.orTimeout(10, TimeUnit.MILLISECONDS);
        }
        assertThat(openAtEnd.get(10, TimeUnit.SECONDS)).isZero();
        assertThat(future).isCompletedExceptionally();
        if (how.equals("timeout")) {
            assertThatThrownBy(future::join).hasCauseInstanceOf(CallTimedOutException.class);
        }
        server.write(sent.chunks().onlySink(), new byte[] {1});
        server.awaitEnd();
        assertThat(sink.get(0)).isZero();
    }

    @Test
    @Proves({"V1-4.3-5", "V1-4.3-7"})
    @DisplayName("a call given up keeps its credit until its late reply, which brings credits too")
    void shouldDropLateReply() throws Exception {
        grant(1);
        CompletableFuture<String> late = callNull();
        int xid = server.next().xid();
        assertThat(late.cancel(true)).isTrue();
        // a call waiting now would find every credit held by calls given up, and end the connection: see below
        server.send(version.nullReply(xid, 3));
        List<CompletableFuture<String>> calls = new ArrayList<>();
        await(() -> count(Counter.LATE_REPLIES) == 1);
        for (int i = 0; i < 4; i++) {
            calls.add(callNull());
        }
        for (int i = 0; i < 3; i++) {
            server.next();
        }
        assertThat(server.isQuiet()).isTrue();
        assertThat(calls).noneMatch(CompletableFuture::isDone);
    }

    @Test
    @Proves("V1-5.5-6")
    @DisplayName("a connection whose credits are all held by calls given up is made again")
    void shouldReplaceConnectionThatIsStuck() throws Exception {
        grant(1);
        CompletableFuture<String> lost = callNull();
        server.next();
        CompletableFuture<String> waits = callNull();
        assertThat(lost.cancel(true)).isTrue();
        server.awaitEnd();
        server = listener.next();
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(waits);
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
                connection.call(Rig.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
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
    @Proves({"CM-4.1-1", "V1-10.1-1"})
    @DisplayName("an invalidation of another call's tag ends the connection")
    void shouldEndConnectionOnForeignInvalidation() throws Exception {
        grant(4);
        ByteBuffer sink = ByteBuffer.allocateDirect(9000);
        CompletableFuture<Integer> victim =
                connection.call(Rig.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
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
    @Proves({"V1-5.5-6", "V1-4.3.1-2", "CM-4-2", "BI-4.3.1-2"})
    @DisplayName("lost calls are sent again with their XIDs, in their order, from one credit on")
    void shouldRetransmitAfterLoss() throws Exception {
        grant(3);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            calls.add(callNull());
        }
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            xids.add(server.next().xid());
        }
        server.rdma().close();
        server = listener.next();
        for (int i = 0; i < 3; i++) {
            assertThat(server.next().xid()).isEqualTo(xids.get(i));
            assertThat(server.isQuiet()).isTrue();
            server.send(version.nullReply(xids.get(i), 1));
        }
        server.send(version.nullReply(server.next().xid(), 1));
        server.send(version.nullReply(server.next().xid(), 1));
        for (CompletableFuture<String> call : calls) {
            awaitNull(call);
        }
        assertThat(count(Counter.RETRANSMISSIONS)).isEqualTo(3);
        assertThat(count(Counter.RECONNECTS)).isOne();
    }

    @Test
    @Proves("V1-5.5-6")
    @DisplayName("an idle connection that is lost is made again by the next call")
    void shouldReconnectAtNextCall() throws Exception {
        grant(3);
        server.rdma().close();
        assertThat(listener.isIdle()).isTrue();
        CompletableFuture<String> call = callNull();
        server = listener.next();
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(call);
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

    @Test
    void shouldFailCallsOnClose() throws Exception {
        grant(2);
        ByteBuffer sink = ByteBuffer.allocateDirect(9000);
        CompletableFuture<Integer> sent =
                connection.call(Rig.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
        started.add(callNull());
        CompletableFuture<String> waits = callNull();
        connection.close();
        assertThat(failureOf(sent)).isInstanceOf(TransportLostException.class).hasMessageContaining("closed");
        assertThat(failureOf(waits)).isInstanceOf(TransportLostException.class);
        assertThat(failureOf(callNull())).isInstanceOf(TransportLostException.class);
        assertThat(connection.isOpen()).isFalse();
        server.awaitEnd();
    }

    @Test
    void shouldRefuseCallThatNoHeaderDescribes() throws Exception {
        RpcCall call = Rig.call(EchoProgram.READ).maxReplySize(2 * version.inlineThreshold());
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
