package io.verbena.verbs.iwarp.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.iwarp.internal.stream.FpduWriter;
import io.verbena.verbs.iwarp.internal.stream.Staging;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.tcp.NetworkPath;
import io.verbena.verbs.iwarp.internal.wire.Iwarp.Fault;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Each field of a header is at the offset that the RFCs give. */
class HeaderTest {
    private static final HexFormat HEX = HexFormat.of();
    private final ByteBuffer b = ByteBuffer.allocate(100);

    private String hex(int from, int length) {
        return HEX.formatHex(b.array(), from, from + length);
    }

    @Test
    void shouldPutTaggedHeader() {
        DdpHeader.putTagged(b, 3, Iwarp.READ_RESPONSE, true, 0x01020304, 0x1112131415161718L);
        assertThat(b.get(3)).as("tagged, last, DDP version 1").isEqualTo((byte) 0xc1);
        assertThat(b.get(4)).as("RDMAP version 1, Read Response").isEqualTo((byte) 0x42);
        assertThat(hex(5, 4)).isEqualTo("01020304");
        assertThat(hex(9, 8)).isEqualTo("1112131415161718");
        assertThat(hex(0, 3) + hex(17, 3)).isEqualTo("000000000000");
        assertThat(DdpHeader.isTagged(b, 3)).isTrue();
        assertThat(DdpHeader.isLast(b, 3)).isTrue();
        assertThat(DdpHeader.opcode(b, 3)).isEqualTo(2);
        assertThat(DdpHeader.stag(b, 3)).isEqualTo(0x01020304);
        assertThat(DdpHeader.taggedOffset(b, 3)).isEqualTo(0x1112131415161718L);
        assertThat(DdpHeader.length(b, 3)).isEqualTo(14);
    }

    @Test
    void shouldPutUntaggedHeader() {
        DdpHeader.putUntagged(b, 5, Iwarp.SEND_INVALIDATE, false, 0x01020304, 0x11121314, 0x21222324, 0x31323334);
        assertThat(b.get(5)).isEqualTo((byte) 0x01);
        assertThat(b.get(6)).isEqualTo((byte) 0x44);
        assertThat(hex(7, 16)).isEqualTo("01020304" + "11121314" + "21222324" + "31323334");
        assertThat(DdpHeader.isTagged(b, 5)).isFalse();
        assertThat(DdpHeader.isLast(b, 5)).isFalse();
        assertThat(DdpHeader.invalidateStag(b, 5)).isEqualTo(0x01020304);
        assertThat(DdpHeader.queueNumber(b, 5)).isEqualTo(0x11121314);
        assertThat(DdpHeader.msn(b, 5)).isEqualTo(0x21222324);
        assertThat(DdpHeader.messageOffset(b, 5)).isEqualTo(0x31323334);
        assertThat(DdpHeader.length(b, 5)).isEqualTo(18);
    }

    @Test
    void shouldPutReadRequest() {
        ReadRequestHeader.put(b, 2, 0x01020304, 0x1112131415161718L, -2, 0x21222324, 0x3132333435363738L);
        assertThat(hex(2, 28))
                .isEqualTo("01020304" + "1112131415161718" + "fffffffe" + "21222324" + "3132333435363738");
        assertThat(ReadRequestHeader.sinkStag(b, 2)).isEqualTo(0x01020304);
        assertThat(ReadRequestHeader.sinkOffset(b, 2)).isEqualTo(0x1112131415161718L);
        assertThat(ReadRequestHeader.size(b, 2)).isEqualTo(0xfffffffeL);
        assertThat(ReadRequestHeader.sourceStag(b, 2)).isEqualTo(0x21222324);
        assertThat(ReadRequestHeader.sourceOffset(b, 2)).isEqualTo(0x3132333435363738L);
    }

    @Test
    void shouldPutTerminate() {
        ByteBuffer segment = ByteBuffer.allocate(46);
        DdpHeader.putTagged(segment, 0, Iwarp.WRITE, true, 0x01020304, 5);
        assertThat(TerminateHeader.put(b, 1, Fault.DDP_BOUNDS, segment, 0x1234, false))
                .isEqualTo(20);
        assertThat(hex(1, 20)).isEqualTo("1101c000" + "1234" + "c140" + "01020304" + "0000000000000005");
        assertThat(TerminateHeader.layer(b, 1)).isEqualTo(1);
        assertThat(TerminateHeader.type(b, 1)).isEqualTo(1);
        assertThat(TerminateHeader.code(b, 1)).isEqualTo(1);
    }

    @Test
    void shouldPutTerminateWithoutSegment() {
        b.put(3, (byte) 0xff);
        assertThat(TerminateHeader.put(b, 0, Fault.MPA_CRC, null, 0, false)).isEqualTo(4);
        assertThat(hex(0, 4)).isEqualTo("20020000");
    }

    @Test
    void shouldTellOfABadCrcInEitherOrder() {
        ByteBuffer b = ByteBuffer.allocate(8).putInt(0x20020000).putInt(0x02020000); // siw's
        assertThat(TerminateHeader.describe(b, 0))
                .startsWith("layer 2, error type 0, code 0x02")
                .contains("CRC");
        assertThat(TerminateHeader.describe(b, 4))
                .startsWith("layer 0, error type 2, code 0x02")
                .contains("CRC");
        b.putInt(0, 0x02060000);
        assertThat(TerminateHeader.describe(b, 0)).isEqualTo("layer 0, error type 2, code 0x06");
    }

    @Test
    void shouldPutTerminateOfARead() {
        ByteBuffer segment = ByteBuffer.allocate(46);
        DdpHeader.putUntagged(segment, 0, Iwarp.READ_REQUEST, true, 0, 1, 7, 0);
        ReadRequestHeader.put(segment, 18, 1, 2, 3, 4, 5);
        assertThat(TerminateHeader.put(b, 0, Fault.RDMAP_ACCESS, segment, 46, true))
                .isEqualTo(52);
        assertThat(hex(0, 6)).isEqualTo("0102e000" + "002e");
        assertThat(hex(6, 46)).isEqualTo(HEX.formatHex(segment.array()));
    }

    @Test
    void shouldPadToWords() {
        assertThat(Iwarp.padding(0)).isEqualTo(2);
        assertThat(Iwarp.padding(1)).isEqualTo(1);
        assertThat(Iwarp.padding(2)).isZero();
        assertThat(Iwarp.padding(3)).isEqualTo(3);
    }

    @Test
    void shouldFillSegmentsOfTheLoopbackInterface() {
        assertThat(NetworkPath.maxSegment(65_536, false)).isEqualTo(65_480);
        assertThat(NetworkPath.maxSegment(1500, false)).isEqualTo(1448);
        assertThat(NetworkPath.maxSegment(1500, true)).isEqualTo(1428);
        ByteBuffer staging = ByteBuffer.allocateDirect(FpduWriter.STAGING);
        assertThat(new FpduWriter(Staging.of(staging), 65_480, true, ConnectionTap.UNOBSERVED).maxTaggedPayload())
                .isEqualTo(65_460);
        assertThat(new FpduWriter(Staging.of(staging), 65_480, true, ConnectionTap.UNOBSERVED).maxUntaggedPayload())
                .isEqualTo(65_456);
    }
}
