package io.verbena.rpcrdma.v2.internal;

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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every field at its absolute offset, encoded and decoded. */
class VersionTwoFramingTest {
    private static final int OFFSET = 12; // the offset of the header in the buffer

    private final VersionTwoFraming framing = new VersionTwoFraming();
    private final TransportHeader header = new TransportHeader();
    private final ByteBuffer buffer = ByteBuffer.allocate(1024);

    @Test
    @Proves("V2-2.3-1")
    @DisplayName("version 2 takes 4096 octets inline where nothing else was settled")
    void shouldTellVersionAndDefaultThreshold() {
        assertThat(framing.version()).isEqualTo(2);
        assertThat(framing.defaultInlineThreshold()).isEqualTo(4096);
    }

    @ParameterizedTest
    @CsvSource({"CALL, 0", "REPLY, 1"})
    @Proves({"V2-4.2-1", "V2-3.2-1"})
    @DisplayName("RDMA2_MSG without chunks is 32 octets, its direction at 16 in front of the lists")
    void shouldEncodeMessageWithoutChunks(Direction direction, int msgType) {
        header.xid(0x89abcdef).credits(0x01020304).type(MessageType.MSG).direction(direction);

        assertThat(framing.encodedLength(header)).isEqualTo(32);
        assertThat(framing.encode(header, buffer, OFFSET)).isEqualTo(32);

        assertThat(buffer.getInt(OFFSET)).isEqualTo(0x89abcdef);
        assertThat(buffer.getInt(OFFSET + 4)).isEqualTo(2);
        assertThat(buffer.getInt(OFFSET + 8)).isEqualTo(0x01020304);
        assertThat(buffer.getInt(OFFSET + 12)).as("RDMA2_MSG").isZero();
        assertThat(buffer.getInt(OFFSET + 16)).as("rdma_direction").isEqualTo(msgType);
        assertThat(buffer.getInt(OFFSET + 20)).as("Read list").isZero();
        assertThat(buffer.getInt(OFFSET + 24)).as("Write list").isZero();
        assertThat(buffer.getInt(OFFSET + 28)).as("Reply chunk").isZero();
    }

    @Test
    @Proves("V2-4.2-1")
    @DisplayName("RDMA2_NOMSG with all three lists, each where the XDR has it")
    void shouldEncodeAllLists() {
        header.xid(1).credits(2).type(MessageType.NOMSG).direction(Direction.CALL);
        Segments.add(header.readList(), 0, 1);
        Segments.add(header.writeList().add(), 2);
        Segments.add(header.hasReplyChunk(true).replyChunk(), 3, 4);

        assertEncoded("1 2 2 1 0 1 PHLOO 0 1 1 HLOO 0 1 2 HLOO HLOO", 0);
    }

    @Test
    @Proves({"V2-3.2-1", "V2-4.2.1-1"})
    @DisplayName("the direction is read from the header, and the RPC message follows it")
    void shouldDecodeAllLists() throws HeaderException {
        int length = put("7 2 64 0 1 1 PHLOO 1 PHLOO 0 1 2 HLOO HLOO 0 1 1 HLOO 0x5150", 180, 180);

        assertThat(decode(length)).isEqualTo(length - 4);

        assertThat(header.xid()).isEqualTo(7);
        assertThat(header.credits()).isEqualTo(64);
        assertThat(header.type()).isEqualTo(MessageType.MSG);
        assertThat(header.direction()).isEqualTo(Direction.REPLY);
        assertThat(header.readList().size()).isEqualTo(2);
        assertThat(header.readList().position(1)).isEqualTo(180);
        assertThat(header.readList().handle(1)).isEqualTo(Segments.handle(2));
        assertThat(header.writeList().chunk(0).offset(1)).isEqualTo(Segments.offset(4));
        assertThat(header.replyChunk().length(0)).isEqualTo(Integer.toUnsignedLong(Segments.length(5)));
    }

    @Test
    @Proves({"V2-3.1-2", "V2-4.2.1-1"})
    @DisplayName("RDMA2_OPTIONAL: direction, type, padded octets; an RPC message may follow")
    void shouldCarryOptionalOperations() throws HeaderException {
        ByteBuffer info =
                ByteBuffer.wrap(new byte[] {9, 1, 2, 3, 9}).position(1).limit(4);
        header.xid(5)
                .credits(6)
                .type(MessageType.OPTIONAL)
                .direction(Direction.REPLY)
                .optionalType(0x80000007)
                .optionalInfo(info);

        assertEncoded("5 2 6 5 1 0x80000007 3 0x01020300");

        assertThat(info.position()).isEqualTo(1);
        header.clear();
        assertThat(decode(put("5 2 6 5 0 8 3 0x01020300 0x5150"))).isEqualTo(32);
        assertThat(header.type()).isEqualTo(MessageType.OPTIONAL);
        assertThat(header.direction()).isEqualTo(Direction.CALL);
        assertThat(header.optionalType()).isEqualTo(8);
        assertThat(header.optionalInfo()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    @ParameterizedTest
    @CsvSource({"VERSION, 1 1 2", "BAD_HEADER, 2", "INVALID_OPTION, 3"})
    @Proves({"V2-4.2-1", "V2-3.1-1", "V2-4.2.3-1"})
    @DisplayName("the three errors, none with a direction")
    void shouldEncodeAndDecodeErrors(HeaderError error, String body) throws HeaderException {
        header.xid(5).credits(6).type(MessageType.ERROR).error(error).versions(1, 2);
        header.hasReplyChunk(true).readList().add(4, 1, 2, 3); // fields of a call, which an error does not have

        assertEncoded("5 2 6 4 " + body);

        int length = framing.encodedLength(header);
        assertThat(decode(length)).isEqualTo(length);
        assertThat(header.type()).isEqualTo(MessageType.ERROR);
        assertThat(header.error()).isEqualTo(error);
        assertThat(header.hasChunks()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "2", "0xffffffff"})
    @Proves("V2-5.2-1")
    @DisplayName("ERR_VERS is understood whatever rdma_vers the peer puts there")
    void shouldDecodeVersionErrorOfAnyVersion(String version) throws HeaderException {
        assertThat(decode(put("5 " + version + " 6 4 1 1 1"))).isEqualTo(28);

        assertThat(header.error()).isEqualTo(HeaderError.VERSION);
        assertThat(header.lowVersion()).isEqualTo(1);
        assertThat(header.highVersion()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"MSGP", "DONE"})
    void shouldNotEncodeWhatThisVersionHasNot(MessageType type) {
        header.type(type).direction(Direction.CALL);

        assertNothingEncoded();
    }

    @Test
    @Proves("V2-3.2-1")
    @DisplayName("no message is sent without a direction")
    void shouldNotEncodeWithoutDirection() {
        header.type(MessageType.MSG);
        assertNothingEncoded();
        header.type(MessageType.OPTIONAL);
        assertNothingEncoded();
    }

    @Test
    void shouldNotEncodeAnErrorWithoutError() {
        header.type(MessageType.ERROR);

        assertNothingEncoded();
    }

    private void assertNothingEncoded() {
        assertThatThrownBy(() -> framing.encode(header, buffer, OFFSET)).isInstanceOf(IllegalArgumentException.class);
        assertThat(buffer.array()).containsOnly(0);
    }

    @Test
    void shouldWriteNothingWhereTheHeaderDoesNotFit() {
        header.xid(-1).credits(-1).direction(Direction.REPLY);
        buffer.limit(OFFSET + 31);

        assertThatThrownBy(() -> framing.encode(header, buffer, OFFSET)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(buffer.array()).containsOnly(0);
    }

    @ParameterizedTest
    @CsvSource({
        "VERSION,    4,  1 1 1 0 0 0 0 0",
        "VERSION,    4,  1 3 1 9 0 0 0 0",
        "BAD_HEADER, 12, 1 2 1 2 0 0 0 0",
        "BAD_HEADER, 12, 1 2 1 3",
        "BAD_HEADER, 12, 1 2 1 0xffffffff 0 0 0 0",
        "BAD_HEADER, 16, 1 2 1 0",
        "BAD_HEADER, 16, 1 2 1 0 2 0 0 0",
        "BAD_HEADER, 16, 1 2 1 1 0xffffffff 0 0 0",
        "BAD_HEADER, 20, 1 2 1 0 0 2 0 0",
        "BAD_HEADER, 28, 1 2 1 0 0 0 0",
        "BAD_HEADER, 16, 1 2 1 5",
        "BAD_HEADER, 16, 1 2 1 5 0 1",
        "BAD_HEADER, 16, 1 2 1 5 2 1 0",
        "BAD_HEADER, 24, 1 2 1 5 0 1 1",
        "BAD_HEADER, 24, 1 2 1 5 0 1 5 0",
        "BAD_HEADER, 24, 1 2 1 5 0 1 0xffffffff 0",
        "BAD_HEADER, 24, 1 2 1 5 0 1 0x7ffffffd 0",
        "BAD_HEADER, 31, 1 2 1 5 0 1 3 0x00000001",
        "NONE,       16, 1 2 1 4",
        "NONE,       16, 1 2 1 4 0",
        "NONE,       16, 1 2 1 4 4",
        "NONE,       16, 1 2 1 4 1 1",
        "NONE,       4,  1 3 1 4 2",
        "NONE,       0,  1 2 1"
    })
    @Proves({"V2-4.2.3-1", "V2-4.2-1"})
    @DisplayName("what is no header is refused, with the answer that is due and where it went wrong")
    void shouldRefuse(HeaderError answer, int at, String picture) {
        assertThatThrownBy(() -> decode(put(picture))).isInstanceOfSatisfying(HeaderException.class, refused -> {
            assertThat(refused.error()).isEqualTo(answer);
            assertThat(refused.offset()).isEqualTo(at);
        });
    }

    private void assertEncoded(String picture, int... positions) {
        byte[] expected = Segments.words(picture, positions);
        assertThat(framing.encodedLength(header)).isEqualTo(expected.length);
        assertThat(framing.encode(header, buffer, OFFSET)).isEqualTo(expected.length);
        byte[] encoded = new byte[expected.length];
        buffer.get(OFFSET, encoded);
        assertThat(encoded).isEqualTo(expected);
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
