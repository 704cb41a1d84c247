package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the responder reads from a call's chunks, and writes to them. */
final class ResponderChunksTest extends ResponderFixture {
    ResponderChunksTest(Version version, boolean device) {
        super(version, device);
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
    @Proves("ULB-5.4.2-2")
    @DisplayName("a Position Zero Read chunk and another one are taken, of sixteen segments each")
    void shouldTakeReadChunksOfSixteenSegments() throws Exception {
        byte[] stream = bytes(new Wire()
                .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.WRITE)
                .words(1, 4, 0x01020304, 64, 98));
        byte[] data = EchoProgram.bytes(6, 64);
        MemoryRegion streamRegion = expose(stream);
        MemoryRegion dataRegion = expose(data);
        Wire call = version.call(XID, 4, Wire.NOMSG);
        for (int i = 0; i < 16; i++) {
            int end = i == 15 ? stream.length : 3 * i + 3;
            call.words(1, 0).segment(streamRegion.steeringTag(), end - 3 * i, streamRegion.remoteOffset() + 3L * i);
        }
        for (int i = 0; i < 16; i++) {
            call.words(1, 56).segment(dataRegion.steeringTag(), 4, dataRegion.remoteOffset() + 4L * i);
        }
        client.send(call.words(0, 0, 0).done());
        int sum = EchoProgram.sum(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
        expect(replyHead()
                .accepted(XID)
                .words(4, sum, 64, EchoProgram.sum(ByteBuffer.wrap(data)), 98)
                .done());
    }

    @Test
    @Proves("ULB-5.4.2-2")
    @DisplayName("a Write chunk of sixteen segments is filled next to a Position Zero Read chunk")
    void shouldFillAWriteChunkOfSixteenSegments() throws Exception {
        byte[] stream = bytes(call(EchoProgram.READ).words(1, 0, 160, 9));
        MemoryRegion streamRegion = expose(stream);
        ByteBuffer memory = ByteBuffer.allocateDirect(160);
        MemoryRegion region = offer(memory);
        Wire call = version.call(XID, 4, Wire.NOMSG)
                .words(1, 0)
                .segment(streamRegion.steeringTag(), stream.length, streamRegion.remoteOffset())
                .words(0, 1, 16);
        for (int i = 0; i < 16; i++) {
            call.segment(region.steeringTag(), 10, region.remoteOffset() + 10L * i);
        }
        client.send(call.words(0, 0).done());
        Wire expected = version.reply(XID, CREDITS, Wire.MSG).words(0, 1, 16);
        for (int i = 0; i < 16; i++) {
            expected.segment(region.steeringTag(), 10, region.remoteOffset() + 10L * i);
        }
        expect(expected.words(0, 0).accepted(XID).words(0, 160, 1).done());
        assertThat(memory).isEqualTo(ByteBuffer.wrap(EchoProgram.bytes(10, 160)));
    }

    @Test
    @Proves({
        "V1-4.4.5-2",
        "V1-4.4.5-3",
        "V1-4.4.5.1-1",
        "V1-4.4.5.2-1",
        "V1-4.4.5.2-2",
        "V1-5.2.2-1",
        "V1-5.2.2-2",
        "ULB-5.4.1-2",
        "ULB-5.4.1-4"
    })
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

    @ParameterizedTest
    @CsvSource({"1,1,0,0", "100,100,0,0", "101,100,1,0", "200,100,100,0", "203,100,100,3"})
    @Proves("V1-4.4.5-2")
    @DisplayName("a Write chunk's segments behind the end of its result are returned with length zero")
    void shouldReturnSegmentsBehindTheResultAsEmpty(int length, int first, int second, int third) throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(1000);
        MemoryRegion region = offer(memory);
        int tag = region.steeringTag();
        long base = region.remoteOffset();
        program.behaviour = null;
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0)
                .words(1, 3)
                .segment(tag, 100, base)
                .segment(tag, 100, base + 200)
                .segment(tag, 100, base + 400)
                .words(1, 2) // for a result of no octets
                .segment(tag, 100, base + 600)
                .segment(tag, 100, base + 800)
                .words(0, 0)
                .bytes(bytes(call(EchoProgram.READ)))
                .done());
        byte[] data = EchoProgram.bytes(1, length);
        RpcRequest request = program.next();
        request.results().putData(ByteBuffer.wrap(data)).putData(ByteBuffer.allocate(0));
        request.reply();
        expect(version.reply(XID, CREDITS, Wire.MSG)
                .words(0)
                .words(1, 3)
                .segment(tag, first, base)
                .segment(tag, second, base + 200)
                .segment(tag, third, base + 400)
                .words(1, 2)
                .segment(tag, 0, base + 600)
                .segment(tag, 0, base + 800)
                .words(0, 0)
                .accepted(XID)
                .words(length, 0)
                .done());
        ByteBuffer expected = ByteBuffer.allocate(1000);
        expected.put(0, data, 0, first).put(200, data, first, second).put(400, data, first + second, third);
        assertThat(memory).isEqualTo(expected);
    }

    @Test
    @Proves("V1-4.4.5-2")
    @DisplayName("a Reply chunk's segments behind the end of the reply are returned with length zero")
    void shouldReturnSegmentsBehindTheReplyAsEmpty() throws Exception {
        int length = 2 * version.inlineThreshold();
        int size = 24 + 4 + length; // the reply's head, the length word, the octets
        ByteBuffer memory = ByteBuffer.allocateDirect(size + 200);
        MemoryRegion region = offer(memory);
        int tag = region.steeringTag();
        long base = region.remoteOffset();
        program.behaviour = null;
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 1, 3)
                .segment(tag, size, base)
                .segment(tag, 100, base + size)
                .segment(tag, 100, base + size + 100)
                .bytes(bytes(call(EchoProgram.READ)))
                .done());
        byte[] data = EchoProgram.bytes(1, length);
        RpcRequest request = program.next();
        request.results().putOpaque(data);
        request.reply();
        expect(version.reply(XID, CREDITS, Wire.NOMSG)
                .words(0, 0, 1, 3)
                .segment(tag, size, base)
                .segment(tag, 0, base + size)
                .segment(tag, 0, base + size + 100)
                .done());
        byte[] reply = bytes(new Wire().accepted(XID).words(length).bytes(data));
        assertThat(memory.slice(0, size)).isEqualTo(ByteBuffer.wrap(reply));
    }

    /** A chunk without segments, and one whose segments have no octets. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Proves("ULB-5.4.1-3")
    @DisplayName("a result whose Write chunk is empty stays in the stream, and the next has the next chunk")
    void shouldKeepAResultInTheStreamWhoseChunkIsEmpty(boolean hasSegment) throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(100);
        MemoryRegion region = offer(memory);
        int tag = region.steeringTag();
        long base = region.remoteOffset();
        program.behaviour = null;
        Wire call = version.call(XID, 4, Wire.MSG).words(0, 1, hasSegment ? 1 : 0);
        (hasSegment ? call.segment(tag, 0, base + 50) : call)
                .words(1, 1)
                .segment(tag, 10, base)
                .words(0, 0)
                .bytes(bytes(call(EchoProgram.READ)));
        client.send(call.done());
        RpcRequest request = program.next();
        assertThat(request.resultCapacity(0)).isEqualTo(-1);
        assertThat(request.resultCapacity(1)).isEqualTo(10);
        request.results()
                .putInt(5)
                .putData(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}))
                .putInt(6)
                .putData(ByteBuffer.wrap(new byte[] {7, 8, 9}));
        request.reply();
        Wire reply = version.reply(XID, CREDITS, Wire.MSG).words(0, 1, hasSegment ? 1 : 0);
        (hasSegment ? reply.segment(tag, 0, base + 50) : reply)
                .words(1, 1)
                .segment(tag, 3, base)
                .words(0, 0)
                .accepted(XID)
                .words(5, 5)
                .bytes(new byte[] {1, 2, 3, 4, 5})
                .words(6, 3);
        expect(reply.done());
        assertThat(memory.slice(0, 3)).isEqualTo(ByteBuffer.wrap(new byte[] {7, 8, 9}));
    }

    @Test
    @Proves({"V1-5.2.2-2", "ULB-5.4.1-5"})
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
        assertThat(TransportPair.count(transport, "registrations")).isZero();
        request.reply();
        client.next();
        assertThat(TransportPair.count(transport, Counter.RDMA_READ_BYTES.label()))
                .isEqualTo(2000);
    }
}
