package io.verbena.rpcrdma.v1.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.Segments;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every field at its absolute offset, encoded and decoded. */
class VersionOneFramingTest {
    private static final int OFFSET = 12; // the offset of the header in the buffer

    private final VersionOneFraming framing = new VersionOneFraming();
    private final TransportHeader header = new TransportHeader();
    private final ByteBuffer buffer = ByteBuffer.allocate(1024);

    @Test
    @Proves({"V1-4.3.1-3", "V1-4.3.1-4"})
    @DisplayName("version 1 takes 1024 octets inline where nothing else was settled")
    void shouldTellVersionAndDefaultThreshold() {
        assertThat(framing.version()).isEqualTo(1);
        assertThat(framing.defaultInlineThreshold()).isEqualTo(1024);
    }

    @Test
    @Proves({"V1-5-1", "V1-5.1.2-1", "V1-5.1.4-1"})
    @DisplayName("RDMA_MSG without chunks is 28 octets, its fields at 0, 4, 8 and 12")
    void shouldEncodeMessageWithoutChunks() {
        header.xid(0x89abcdef).credits(0x01020304).type(MessageType.MSG).direction(Direction.CALL);

        assertThat(framing.encode(header, buffer, OFFSET)).isEqualTo(28);

        assertThat(buffer.getInt(OFFSET)).isEqualTo(0x89abcdef);
        assertThat(buffer.getInt(OFFSET + 4)).isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 8)).isEqualTo(0x01020304);
        assertThat(buffer.getInt(OFFSET + 12)).isZero();
        assertThat(buffer.getInt(OFFSET + 16)).isZero();
        assertThat(buffer.getInt(OFFSET + 20)).isZero();
        assertThat(buffer.getInt(OFFSET + 24)).isZero();
    }

    @Test
    @Proves({"V1-5.1.4-1", "V1-4.6.3-6", "V1-3.2.2-1"})
    @DisplayName("RDMA_NOMSG with both special chunks and a Write list, each field in its place")
    void shouldEncodeAllListsAtTheirOffsets() {
        header.xid(1).credits(2).type(MessageType.NOMSG);
        header.readList().add(0, 0xfffffff1, 0xfffffff2, 0xfffffff3fffffff4L);
        header.writeList().add().add(0x11, 0x12, 0x13L);
        header.hasReplyChunk(true).replyChunk().add(0x21, 0x22, 0x23L);

        assertThat(framing.encodedLength(header)).isEqualTo(96);
        assertThat(framing.encode(header, buffer, OFFSET)).isEqualTo(96);

        assertThat(buffer.getInt(OFFSET + 12)).as("RDMA_NOMSG").isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 16)).as("a Read segment").isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 20)).as("position").isZero();
        assertThat(buffer.getInt(OFFSET + 24)).as("handle").isEqualTo(0xfffffff1);
        assertThat(buffer.getInt(OFFSET + 28)).as("length").isEqualTo(0xfffffff2);
        assertThat(buffer.getLong(OFFSET + 32)).as("offset").isEqualTo(0xfffffff3fffffff4L);
        assertThat(buffer.getInt(OFFSET + 40)).as("end of the Read list").isZero();
        assertThat(buffer.getInt(OFFSET + 44)).as("a Write chunk").isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 48)).as("its segments").isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 52)).as("handle").isEqualTo(0x11);
        assertThat(buffer.getInt(OFFSET + 56)).as("length").isEqualTo(0x12);
        assertThat(buffer.getLong(OFFSET + 60)).as("offset").isEqualTo(0x13L);
        assertThat(buffer.getInt(OFFSET + 68)).as("end of the Write list").isZero();
        assertThat(buffer.getInt(OFFSET + 72)).as("a Reply chunk").isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 76)).as("its segments").isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 80)).as("handle").isEqualTo(0x21);
        assertThat(buffer.getInt(OFFSET + 84)).as("length").isEqualTo(0x22);
        assertThat(buffer.getLong(OFFSET + 88)).as("offset").isEqualTo(0x23L);
    }

    @Test
    @Proves({"V1-4.4.4-2", "V1-4.4.4-3"})
    @DisplayName("segments of a Read chunk keep order and position, lengths no multiple of four too")
    void shouldDecodeAllListsFromTheirOffsets() throws HeaderException {
        int length = put("0xcafe 1 0xffffffff 0 1 PHLOO 1 PHLOO 0 1 1 HLOO 1 0 0 1 2 HLOO HLOO 0x5150", 180, 180);

        assertThat(decode(length)).isEqualTo(length - 4);

        assertThat(header.xid()).isEqualTo(0xcafe);
        assertThat(header.credits()).isEqualTo(0xffffffff);
        assertThat(header.type()).isEqualTo(MessageType.MSG);
        assertThat(header.direction()).isEqualTo(Direction.UNKNOWN);
        assertThat(header.error()).isEqualTo(HeaderError.NONE);
        assertThat(header.readList().size()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            assertThat(header.readList().position(i)).isEqualTo(180);
            assertThat(header.readList().handle(i)).isEqualTo(Segments.handle(i + 1));
            assertThat(header.readList().length(i)).isEqualTo(Integer.toUnsignedLong(Segments.length(i + 1)));
            assertThat(header.readList().offset(i)).isEqualTo(Segments.offset(i + 1));
        }
        assertThat(header.writeList().size()).isEqualTo(2);
        assertThat(header.writeList().chunk(0).size()).isEqualTo(1);
        assertThat(header.writeList().chunk(0).handle(0)).isEqualTo(Segments.handle(3));
        assertThat(header.writeList().chunk(0).length(0)).isEqualTo(Integer.toUnsignedLong(Segments.length(3)));
        assertThat(header.writeList().chunk(0).offset(0)).isEqualTo(Segments.offset(3));
        assertThat(header.writeList().chunk(1).size())
                .as("a chunk may be empty")
                .isZero();
        assertThat(header.hasReplyChunk()).isTrue();
        assertThat(header.replyChunk().size()).isEqualTo(2);
        assertThat(header.replyChunk().handle(1)).isEqualTo(Segments.handle(5));
    }

    @Test
    @Proves("V1-4.4.5-3")
    @DisplayName("a returned Write chunk keeps its segments, lengths of zero included")
    void shouldKeepSegmentsOfNoLength() throws HeaderException {
        Segments.add(header.writeList().add(), 1, 2);
        header.writeList().chunk(0).setLength(0, 0);
        header.writeList().chunk(0).setLength(1, 0);

        int length = framing.encode(header, buffer, OFFSET);
        decode(length);

        assertThat(header.writeList().chunk(0).size()).isEqualTo(2);
        assertThat(header.writeList().chunk(0).totalLength()).isZero();
        assertThat(header.writeList().chunk(0).handle(1)).isEqualTo(Segments.handle(2));
    }

    @Test
    void shouldTellReplyChunkOfNoSegmentsFromNone() throws HeaderException {
        int length = put("1 1 1 1 0 0 1 0");

        assertThat(decode(length)).isEqualTo(length);

        assertThat(header.hasReplyChunk()).isTrue();
        assertThat(header.replyChunk().size()).isZero();
    }

    @Test
    @Proves("V1-5.7.1-2")
    @DisplayName("RDMA_MSGP is decoded as RDMA_MSG is, its alignment fields skipped")
    void shouldSkipAlignmentFields() throws HeaderException {
        int length = put("7 1 32 2 0xffffffff 0xffffffff 1 PHLOO 0 0 0 0x5150", 64);

        assertThat(decode(length)).isEqualTo(length - 4);

        assertThat(header.type()).isEqualTo(MessageType.MSGP);
        assertThat(header.readList().size()).isEqualTo(1);
        assertThat(header.readList().position(0)).isEqualTo(64);
        assertThat(header.readList().handle(0)).isEqualTo(Segments.handle(1));
    }

    @Test
    @Proves("V1-5.7.2-1")
    @DisplayName("RDMA_DONE is told by its type, whatever follows its fixed fields")
    void shouldDecodeDone() throws HeaderException {
        assertThat(decode(put("7 1 32 3"))).isEqualTo(16);
        assertThat(header.type()).isEqualTo(MessageType.DONE);

        assertThat(decode(put("8 1 32 3 0xffffffff"))).isEqualTo(16);
        assertThat(header.type()).isEqualTo(MessageType.DONE);
        assertThat(header.xid()).isEqualTo(8);
    }

    @ParameterizedTest
    @EnumSource(names = {"MSGP", "DONE", "OPTIONAL"})
    @Proves("V1-5.7.1-1")
    @DisplayName("RDMA_MSGP, like RDMA_DONE and what is of another version, is never sent")
    void shouldNotEncodeWhatIsNeverSent(MessageType type) {
        header.type(type);

        assertThatThrownBy(() -> framing.encodedLength(header)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> framing.encode(header, buffer, OFFSET)).isInstanceOf(IllegalArgumentException.class);
        assertThat(buffer.array()).containsOnly(0);
    }

    @Test
    @Proves("V1-5.5-2")
    @DisplayName("ERR_VERS carries the lowest and the highest version supported, at 20 and 24")
    void shouldEncodeVersionError() {
        header.xid(5)
                .credits(6)
                .type(MessageType.ERROR)
                .error(HeaderError.VERSION)
                .versions(1, 2);

        assertThat(framing.encodedLength(header)).isEqualTo(28);
        assertThat(framing.encode(header, buffer, OFFSET)).isEqualTo(28);

        assertThat(buffer.getInt(OFFSET)).isEqualTo(5);
        assertThat(buffer.getInt(OFFSET + 4)).isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 8)).isEqualTo(6);
        assertThat(buffer.getInt(OFFSET + 12)).as("RDMA_ERROR").isEqualTo(4);
        assertThat(buffer.getInt(OFFSET + 16)).as("ERR_VERS").isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 20)).isEqualTo(1);
        assertThat(buffer.getInt(OFFSET + 24)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "2", "0xffffffff"})
    @Proves("V1-5.5-2")
    @DisplayName("ERR_VERS is understood whatever rdma_vers the peer puts there")
    void shouldDecodeVersionErrorOfAnyVersion(String version) throws HeaderException {
        int length = put("5 " + version + " 6 4 1 2 3");

        assertThat(decode(length)).isEqualTo(28);

        assertThat(header.type()).isEqualTo(MessageType.ERROR);
        assertThat(header.error()).isEqualTo(HeaderError.VERSION);
        assertThat(header.xid()).isEqualTo(5);
        assertThat(header.credits()).isEqualTo(6);
        assertThat(header.lowVersion()).isEqualTo(2);
        assertThat(header.highVersion()).isEqualTo(3);
    }

    @Test
    @Proves("V1-5.5-3")
    @DisplayName("ERR_CHUNK is 20 octets")
    void shouldEncodeAndDecodeChunkError() throws HeaderException {
        header.xid(5).credits(6).type(MessageType.ERROR).error(HeaderError.BAD_HEADER);
        header.hasReplyChunk(true).readList().add(4, 1, 2, 3); // fields of a call, which an error does not have

        assertThat(framing.encodedLength(header)).isEqualTo(20);
        assertThat(framing.encode(header, buffer, OFFSET)).isEqualTo(20);
        assertThat(buffer.getInt(OFFSET + 12)).as("RDMA_ERROR").isEqualTo(4);
        assertThat(buffer.getInt(OFFSET + 16)).as("ERR_CHUNK").isEqualTo(2);
        assertThat(buffer.getInt(OFFSET + 20)).as("nothing more").isZero();

        assertThat(decode(20)).isEqualTo(20);
        assertThat(header.type()).isEqualTo(MessageType.ERROR);
        assertThat(header.error()).isEqualTo(HeaderError.BAD_HEADER);
        assertThat(header.hasChunks()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "INVALID_OPTION"})
    void shouldNotEncodeErrorsThatThereAreNot(HeaderError error) {
        header.type(MessageType.ERROR).error(error);

        assertThatThrownBy(() -> framing.encode(header, buffer, OFFSET)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 181, -1, -2, -3})
    @Proves("V1-4.4.4.1-4")
    @DisplayName("a Read segment is never sent with a position that is no multiple of four")
    void shouldNotEncodeUnalignedPosition(int position) {
        Segments.add(header.readList(), position, 1);

        assertThatThrownBy(() -> framing.encode(header, buffer, OFFSET))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toUnsignedString(position));
    }

    @Test
    void shouldWriteNothingWhereTheHeaderDoesNotFit() {
        header.xid(-1).credits(-1);
        buffer.limit(OFFSET + 27);

        assertThatThrownBy(() -> framing.encode(header, buffer, OFFSET)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> framing.encode(header, buffer, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(buffer.array()).containsOnly(0);
    }

    @Test
    void shouldLeavePositionAndLimitAlone() throws HeaderException {
        buffer.position(3).limit(900);

        int length = framing.encode(header, buffer, OFFSET);
        framing.decode(buffer, OFFSET, length, header);

        assertThat(buffer.position()).isEqualTo(3);
        assertThat(buffer.limit()).isEqualTo(900);
    }

    @Test
    void shouldForgetWhatTheHeaderHeldBefore() throws HeaderException {
        header.direction(Direction.REPLY)
                .error(HeaderError.VERSION)
                .versions(8, 9)
                .optionalType(7);
        header.readList().add(4, 1, 2, 3);
        Segments.add(header.writeList().add(), 1);
        Segments.add(header.hasReplyChunk(true).replyChunk(), 2);

        decode(put("1 1 1 0 0 0 0"));

        assertThat(header.hasChunks()).isFalse();
        assertThat(header.replyChunk().size()).isZero();
        assertThat(header.direction()).isEqualTo(Direction.UNKNOWN);
        assertThat(header.error()).isEqualTo(HeaderError.NONE);
        assertThat(header.lowVersion()).isZero();
        assertThat(header.highVersion()).isZero();
        assertThat(header.optionalType()).isZero();
    }

    /** Puts a diagram ({@link Segments#words}) at the offset and returns its length. */
    private int put(String picture, int... positions) {
        byte[] octets = Segments.words(picture, positions);
        buffer.put(OFFSET, octets);
        return octets.length;
    }

    private int decode(int length) throws HeaderException {
        return framing.decode(buffer, OFFSET, length, header);
    }
}
