package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The responder against a client that the test plays, in either version. */
@ParameterizedClass
@CsvSource({"ONE, false", "TWO, false", "ONE, true", "TWO, true"})
final class ResponderTest {
    private static final int CREDITS = 5;
    private static final int MAX_CALL = 100_000;
    private static final int XID = 0x1234;

    private final Version version;
    private final MemoryFabric fabric;
    private final RdmaRpcTransport transport;
    private final Handler program = new Handler();
    private RpcListener listener;
    private RawPeer client;

    /** Answers as a test says, or leaves requests for the test to answer. */
    private static final class Handler implements RpcProgram {
        final BlockingQueue<RpcRequest> requests = new LinkedBlockingQueue<>();
        RpcProgram behaviour = new EchoProgram();

        @Override
        public int program() {
            return EchoProgram.PROGRAM;
        }

        @Override
        public int lowVersion() {
            return EchoProgram.VERSION;
        }

        @Override
        public int highVersion() {
            return EchoProgram.VERSION + 1;
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            if (behaviour == null) {
                requests.add(request);
            } else {
                behaviour.handle(request);
            }
        }

        RpcRequest next() throws InterruptedException {
            RpcRequest request = requests.poll(10, TimeUnit.SECONDS);
            if (request == null) {
                throw new AssertionError("no request came");
            }
            return request;
        }
    }

    /** In Version One with an end that knows no other. */
    ResponderTest(Version version, boolean device) {
        this.version = version;
        fabric = device ? MemoryFabric.ofDevices() : new MemoryFabric();
        transport = version == Version.ONE
                ? Rig.transport(Tuning.DEFAULT, fabric)
                : Rig.transportOfBoth(Tuning.DEFAULT, fabric);
    }

    @BeforeEach
    void connect() throws Exception {
        connect(RawPeer.NO_PRIVATE_DATA, Map.of());
    }

    private void connect(byte[] privateData, Map<String, String> options) throws Exception {
        listener = transport.listen(new ListenOptions(MemoryFabric.address(0), CREDITS, 3, MAX_CALL, options), program);
        client = RawPeer.connect(fabric, listener.localAddress(), privateData);
    }

    @AfterEach
    void close() {
        transport.close();
        fabric.awaitAllEnded();
    }

    private static Wire call(int procedure) {
        return new Wire().call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, procedure);
    }

    private Wire message(int procedure) {
        return version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, procedure);
    }

    private Wire replyHead() {
        return version.reply(XID, CREDITS, Wire.MSG).words(0, 0, 0);
    }

    private ByteBuffer errChunk() {
        return version.badHeader(XID, CREDITS);
    }

    private void expect(ByteBuffer reply) throws InterruptedException {
        assertThat(client.next().octets()).isEqualTo(reply);
    }

    private MemoryRegion expose(byte[] data) throws Exception {
        return client.rdma().register(RawPeer.direct(ByteBuffer.wrap(data)), Access.REMOTE_READ);
    }

    private MemoryRegion offer(ByteBuffer memory) throws Exception {
        return client.rdma().register(memory, Access.REMOTE_WRITE);
    }

    /** The connection still carries calls. */
    private void expectAlive() throws Exception {
        client.send(version.nullCall(0x99, 4));
        expect(version.nullReply(0x99, CREDITS));
    }

    @Test
    @Proves({"V1-4.3-3", "V1-5-1", "V1-5.1.1-1", "V1-5.1.2-1", "V1-5.3.1-1"})
    @DisplayName("a short reply is RDMA_MSG with the credits granted")
    void shouldAnswerNull() throws Exception {
        client.send(version.nullCall(XID, 1));
        expect(version.nullReply(XID, CREDITS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero", "next", "after that", "highest"})
    @Proves({"V1-5.5-2", "V1-9.1-1", "V2-5.2-1"})
    @DisplayName("a version that is not there is answered with ERR_VERS and those that are")
    void shouldRefuseVersion(String which) throws Exception {
        int refused =
                switch (which) {
                    case "zero" -> 0;
                    case "next" -> version.number() + 1;
                    case "after that" -> version.number() + 2;
                    default -> -1;
                };
        client.send(Wire.header(refused, XID, 1, Wire.MSG).words(1, 2, 3).done());
        expect(Version.ONE.error(XID, CREDITS).words(1, 1, version.number()).done()); // nothing is settled
        client.send(Wire.header(refused, XID, 1, Wire.ERROR).words(1, 5, 6).done()); // never answered
        expectAlive();
        client.send(Wire.header(refused, XID, 1, Wire.MSG).words(1, 2, 3).done());
        expect(version.error(XID, CREDITS).words(1, 1, version.number()).done());
    }

    @Test
    @Proves({"V1-5.5-1", "V1-5.5-3"})
    @DisplayName("a header that cannot be decoded is answered with ERR_CHUNK")
    void shouldRefuseBrokenHeader() throws Exception {
        client.send(version.call(XID, 4, Wire.MSG).words(1, 0, 1).done());
        expect(errChunk());
        client.send(version.call(XID, 4, 77).words(0, 0, 0).done());
        expect(errChunk());
        expectAlive();
    }

    @Test
    @Proves("V1-4.4.4.1-4")
    @DisplayName("a position that is no multiple of four is answered with ERR_CHUNK")
    void shouldRefusePositionOutOfLine() throws Exception {
        MemoryRegion region = expose(new byte[8]);
        client.send(version.call(XID, 4, Wire.MSG)
                .words(1, 46)
                .segment(region.steeringTag(), 8, region.remoteOffset())
                .words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, 8, 0)))
                .done());
        expect(errChunk());
    }

    private static byte[] bytes(Wire wire) {
        ByteBuffer done = wire.done();
        byte[] all = new byte[done.remaining()];
        done.get(all);
        return all;
    }

    @Test
    @Proves("V1-5.1.1-1")
    @DisplayName("an XID that differs from the RPC message's is answered with ERR_CHUNK")
    void shouldRefuseOtherXid() throws Exception {
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .call(XID + 1, EchoProgram.PROGRAM, EchoProgram.VERSION, 0)
                .done());
        expect(errChunk());
    }

    @Test
    @Proves({"V1-5.5-1", "V1-4.6.3-2"})
    @DisplayName("a long call without a Position Zero chunk that holds a call is answered with ERR_CHUNK")
    void shouldRefuseLongCallWithoutStream() throws Exception {
        // whoever took any of the first two for the call would find one
        MemoryRegion call = expose(bytes(call(EchoProgram.NULL)));
        MemoryRegion region = expose(new byte[100]);
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 40)
                .segment(call.steeringTag(), 40, call.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk());
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 0)
                .segment(call.steeringTag(), 36, call.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk());
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 0)
                .segment(region.steeringTag(), 100, region.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk()); // its XID is zero
    }

    @ParameterizedTest
    @CsvSource({"100001,1", "-1,1", "2000000000,3", "50000,3", "1,65"})
    @Proves("V1-5.5-1")
    @DisplayName("lengths over the largest call are refused before anything is allocated or read")
    void shouldRefuseCallTooLarge(int length, int chunks) throws Exception {
        Wire call = version.call(XID, 4, Wire.MSG);
        for (int i = 0; i < chunks; i++) {
            call.words(1, 48 + 4 * i).segment(0xbad, length, 0); // to read it would end the connection
        }
        client.send(call.words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, length, 0)))
                .done());
        expect(errChunk());
        expectAlive();
    }

    @Test
    @Proves({"V1-8.3.3-1", "V1-5.7.2-1"})
    @DisplayName("what is nobody's is dropped without an answer")
    void shouldDropWhatIsNobodys() throws Exception {
        client.send(new Wire().words(XID, version.number(), 4).done());
        client.send(version.error(XID, 4).words(2).done());
        client.send(version.error(XID, 4).words(9).done());
        client.send(version.reply(XID, 4, Wire.NOMSG).words(0, 0, 0).done());
        client.send(version.call(XID, 4, Wire.MSG).words(0, 0, 0).done());
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 0, 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 0, 0, 0, 0)
                .done());
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 2, 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 0, 0, 0, 0, 0)
                .done());
        switch (version) {
            case ONE -> client.send(version.call(XID, 4, Wire.DONE).done());
            case TWO -> {
                client.send(version.reply(XID, 4, Wire.MSG)
                        .words(0, 0, 0)
                        .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                        .done());
                client.send(version.call(XID, 4, Wire.MSG)
                        .words(0, 0, 0)
                        .accepted(XID)
                        .words(0, 0, 0, 0)
                        .done());
            }
        }
        client.send(version.nullReply(XID, 4));
        expectAlive();
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
    @CsvSource({"1001,false", "1001,true", "1000,false", "3,false"})
    @Proves({"V1-4.4.4-2", "V1-4.4.4-3", "V1-4.4.4.1-3", "V1-4.4.3.1-2"})
    @DisplayName("a Read chunk is joined from its segments, padding or not")
    void shouldJoinReadChunk(int length, boolean padded) throws Exception {
        byte[] data = EchoProgram.bytes(4, length);
        byte[] exposed = padded ? java.util.Arrays.copyOf(data, 1004) : data;
        MemoryRegion region = expose(exposed);
        int first = length / 3;
        client.send(version.call(XID, 4, Wire.MSG)
                .words(1, 52)
                .segment(region.steeringTag(), first, region.remoteOffset())
                .words(1, 52)
                .segment(region.steeringTag(), 0, region.remoteOffset())
                .words(1, 52)
                .segment(region.steeringTag(), exposed.length - first, region.remoteOffset() + first)
                .words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, length, 99)))
                .done());
        expect(replyHead()
                .accepted(XID)
                .words(0, 7, length, EchoProgram.sum(ByteBuffer.wrap(data)), 99)
                .done());
    }

    @Test
    @Proves({"V1-4.4.3.1-2", "V1-6.3-1"})
    @DisplayName("a Read chunk that does not match its length word is an encoding error")
    void shouldRefuseReadChunkOfOtherLength() throws Exception {
        MemoryRegion region = expose(new byte[100]);
        client.send(version.call(XID, 4, Wire.MSG)
                .words(1, 52)
                .segment(region.steeringTag(), 100, region.remoteOffset())
                .words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, 50, 99)))
                .done());
        expect(replyHead().words(XID, 1, 0, 0, 0, 4).done());
        client.send(version.call(XID, 4, Wire.MSG)
                .words(1, 44) // the serial number, which is no data item
                .segment(region.steeringTag(), 4, region.remoteOffset())
                .words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, 0, 99)))
                .done());
        expect(replyHead().words(XID, 1, 0, 0, 0, 4).done());
    }

    @Test
    @Proves({"V1-5.2.1-1", "V1-4.6.3-4"})
    @DisplayName("Read chunks are taken in any order")
    void shouldSortReadChunks() throws Exception {
        byte[] stream = bytes(new Wire()
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.WRITE)
                .words(1, 4, 0x01020304, 8, 98));
        byte[] data = EchoProgram.bytes(6, 8);
        MemoryRegion streamRegion = expose(stream);
        MemoryRegion dataRegion = expose(data);
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 56)
                .segment(dataRegion.steeringTag(), 5, dataRegion.remoteOffset())
                .words(1, 0)
                .segment(streamRegion.steeringTag(), 41, streamRegion.remoteOffset())
                .words(1, 56)
                .segment(dataRegion.steeringTag(), 3, dataRegion.remoteOffset() + 5)
                .words(1, 0)
                .segment(streamRegion.steeringTag(), stream.length - 41, streamRegion.remoteOffset() + 41)
                .words(0, 0, 0)
                .done());
        int sum = EchoProgram.sum(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
        expect(replyHead()
                .accepted(XID)
                .words(4, sum, 8, EchoProgram.sum(ByteBuffer.wrap(data)), 98)
                .done());
    }

    @Test
    @Proves({"V1-4.4.5-2", "V1-4.4.5-3", "V1-4.4.5.1-1", "V1-4.4.5.2-1", "V1-4.4.5.2-2", "V1-5.2.2-1", "V1-5.2.2-2"})
    @DisplayName("Write chunks are filled in order, segment by segment, and returned with what was written")
    void shouldFillWriteChunks() throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(2000);
        MemoryRegion region = offer(memory);
        int tag = region.steeringTag();
        long base = region.remoteOffset();
        program.behaviour = null;
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0)
                .words(1, 3)
                .segment(tag, 100, base)
                .segment(tag, 0, base)
                .segment(tag, 300, base + 500)
                .words(1, 1)
                .segment(tag, 50, base + 1000)
                .words(1, 2)
                .segment(tag, 50, base + 1100)
                .segment(tag, 60, base + 1200)
                .words(0, 0)
                .bytes(bytes(call(EchoProgram.READ)))
                .done());
        byte[] one = EchoProgram.bytes(1, 333);
        byte[] two = EchoProgram.bytes(2, 50);
        RpcRequest request = program.next();
        assertThat(request.resultCapacity(0)).isEqualTo(400);
        assertThat(request.resultCapacity(2)).isEqualTo(110);
        assertThat(request.resultCapacity(3)).isEqualTo(-1);
        ByteBuffer allocated = request.allocate(333).put(one).flip();
        request.results().putInt(5).putData(allocated).putInt(6).putData(ByteBuffer.wrap(two));
        request.reply();
        expect(version.reply(XID, CREDITS, Wire.MSG)
                .words(0)
                .words(1, 3)
                .segment(tag, 100, base)
                .segment(tag, 0, base)
                .segment(tag, 233, base + 500)
                .words(1, 1)
                .segment(tag, 50, base + 1000)
                .words(1, 2)
                .segment(tag, 0, base + 1100)
                .segment(tag, 0, base + 1200)
                .words(0, 0)
                .accepted(XID)
                .words(5, 333, 6, 50)
                .done());
        ByteBuffer expected = ByteBuffer.allocate(2000);
        expected.put(0, one, 0, 100).put(500, one, 100, 233).put(1000, two);
        assertThat(memory).isEqualTo(expected);
    }

    @Test
    @Proves("V1-5.2.2-2")
    @DisplayName("results beyond the Write list stay in the stream")
    void shouldKeepFurtherResultsInline() throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(10);
        MemoryRegion region = offer(memory);
        program.behaviour = null;
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 1, 1)
                .segment(region.steeringTag(), 10, region.remoteOffset())
                .words(0, 0)
                .bytes(bytes(call(EchoProgram.READ)))
                .done());
        RpcRequest request = program.next();
        request.results()
                .putData(ByteBuffer.wrap(new byte[0]))
                .putData(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}))
                .putInt(6);
        request.reply();
        expect(version.reply(XID, CREDITS, Wire.MSG)
                .words(0, 1, 1)
                .segment(region.steeringTag(), 0, region.remoteOffset())
                .words(0, 0)
                .accepted(XID)
                .words(0, 5)
                .bytes(new byte[] {1, 2, 3, 4, 5})
                .words(6)
                .done());
    }

    @ParameterizedTest
    @CsvSource({"false,0,LONG", "true,100,LONG", "false,-80,INLINE", "true,-1000,ERROR"})
    @Proves({"V1-4.6.3-5", "V1-5.3.4-1", "V1-5.5-5", "V1-5.1.4-2", "CM-3.1-1"})
    @DisplayName(
            "a reply goes into the Reply chunk, else inline, else ERR_CHUNK, or ERR_BAD_HEADER as Version Two calls it")
    void shouldUseReplyChunk(boolean large, int spare, String expected) throws Exception {
        int length = large ? 2 * version.inlineThreshold() : 100;
        int room = length + spare;
        ByteBuffer memory = ByteBuffer.allocateDirect(40 + length + 100);
        MemoryRegion region = offer(memory);
        int tag = region.steeringTag();
        long base = region.remoteOffset();
        program.behaviour = null;
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 1, 2)
                .segment(tag, 40, base)
                .segment(tag, room, base + 40)
                .bytes(bytes(call(EchoProgram.READ)))
                .done());
        byte[] data = EchoProgram.bytes(1, length);
        RpcRequest request = program.next();
        request.results().putOpaque(data);
        request.reply();
        byte[] reply = bytes(new Wire().accepted(XID).words(length).bytes(data));
        switch (expected) {
            case "LONG" -> {
                expect(version.reply(XID, CREDITS, Wire.NOMSG)
                        .words(0, 0, 1, 2)
                        .segment(tag, 40, base)
                        .segment(tag, reply.length - 40, base + 40)
                        .done());
                assertThat(memory.slice(0, reply.length)).isEqualTo(ByteBuffer.wrap(reply));
            }
            case "INLINE" ->
                expect(version.reply(XID, CREDITS, Wire.MSG)
                        .words(0, 0, 1, 2)
                        .segment(tag, 0, base)
                        .segment(tag, 0, base + 40)
                        .bytes(reply)
                        .done());
            default -> {
                expect(errChunk());
                assertThat(memory).isEqualTo(ByteBuffer.allocate(memory.capacity()));
            }
        }
        program.behaviour = new EchoProgram();
        expectAlive();
    }

    @Test
    @Proves("V1-5.5-5")
    @DisplayName("a result larger than its Write chunk is answered with ERR_CHUNK")
    void shouldRefuseResultTooLarge() throws Exception {
        MemoryRegion region = offer(ByteBuffer.allocateDirect(10));
        program.behaviour = null;
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 1, 1)
                .segment(region.steeringTag(), 10, region.remoteOffset())
                .words(0, 0)
                .bytes(bytes(call(EchoProgram.READ)))
                .done());
        RpcRequest request = program.next();
        request.results().putData(ByteBuffer.wrap(new byte[11]));
        request.reply();
        expect(errChunk());
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
        int all = CREDITS + Tuning.DEFAULT.receiveMargin() + Tuning.DEFAULT.reverseCredits();
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
        int all = 2 * CREDITS + Tuning.DEFAULT.receiveMargin();
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
    @Proves({"V1-10.1-1", "V1-4.1-1"})
    @DisplayName("a responder opens no memory")
    void shouldOpenNoMemory() throws Exception {
        program.behaviour = null;
        byte[] data = EchoProgram.bytes(4, 2000);
        MemoryRegion region = expose(data);
        client.send(version.call(XID, 4, Wire.MSG)
                .words(1, 52)
                .segment(region.steeringTag(), 2000, region.remoteOffset())
                .words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, 2000, 99)))
                .done());
        RpcRequest request = program.next();
        assertThat(Rig.count(transport, "registrations")).isZero();
        request.reply();
        client.next();
        assertThat(Rig.count(transport, Counter.RDMA_READ_BYTES.label())).isEqualTo(2000);
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
