package io.verbena.nfs41;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Octets of callbacks at their offsets, as the XDR of RFC 5662 has them. */
class CallbackLayoutTest {
    private static final StateId STATE = new StateId(1, 0x1112131415161718L, 0x191a1b1c);
    private static final String STATE_HEX = "00000001" + "1112131415161718191a1b1c";
    private static final FileHandle FILE = FileHandle.of((byte) 0xaa, (byte) 0xbb, (byte) 0xcc);
    private static final String FILE_HEX = "00000003" + "aabbcc00";
    private static final String SESSION_HEX = "000102030405060708090a0b0c0d0e0f";

    private static String hex(Consumer<XdrWriter> encoder) {
        XdrWriter out = new XdrWriter();
        encoder.accept(out);
        return HexFormat.of().formatHex(out.toByteArray());
    }

    private static XdrReader reader(String hex) {
        return new XdrReader(ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", ""))));
    }

    @Test
    void shouldLayOutTheHeadOfACompound() throws XdrException {
        assertThat(hex(out -> {
                    int countAt = CbCompound.encodeArgs(out, new CbCompound.Args("ab", 1, 0));
                    CbRecallSlot.encodeArgs(out, new CbRecallSlot.Args(7));
                    out.setInt(countAt, 1);
                }))
                .isEqualTo("00000002" + "61620000" + "00000001" + "00000000" + "00000001" + "0000000a" + "00000007");
        assertThat(CbCompound.decodeArgs(reader("00000002 61620000 00000001 00000099 00000001 0000000a")))
                .isEqualTo(new CbCompound.Args("ab", 1, 1));
    }

    @Test
    void shouldLayOutSequenceWithItsReferringCalls() {
        SessionId session = new SessionId(0x0001020304050607L, 0x08090a0b0c0d0e0fL);
        CbSequence.ReferringCallList list =
                new CbSequence.ReferringCallList(session, List.of(new CbSequence.ReferringCall(0x21, 0x22)));
        CbSequence.Args args = new CbSequence.Args(session, 5, 6, 7, true, List.of(list));
        assertThat(hex(out -> CbSequence.encodeArgs(out, args)))
                .isEqualTo("0000000b" + SESSION_HEX + "00000005" + "00000006" + "00000007" + "00000001" + "00000001"
                        + SESSION_HEX + "00000001" + "00000021" + "00000022");
        assertThat(hex(out -> CbSequence.encodeResult(out, new CbSequence.Result(session, 5, 6, 7, 8))))
                .isEqualTo("0000000b" + "00000000" + SESSION_HEX + "00000005" + "00000006" + "00000007" + "00000008");
    }

    @Test
    void shouldLayOutRecall() {
        assertThat(hex(out -> CbRecall.encodeArgs(out, new CbRecall.Args(STATE, true, FILE))))
                .isEqualTo("00000004" + STATE_HEX + "00000001" + FILE_HEX);
    }

    @Test
    void shouldLayOutGetAttr() {
        AttributeMask asked = AttributeMask.of(Attribute.CHANGE, Attribute.SIZE);
        assertThat(hex(out -> CbGetAttr.encodeArgs(out, new CbGetAttr.Args(FILE, asked))))
                .isEqualTo("00000003" + FILE_HEX + "00000001" + "00000018");
    }

    @Test
    void shouldLayOutRecallOfLayouts() {
        CbLayoutRecall.Scope file = new CbLayoutRecall.OfFile(FILE, 2, -1, STATE);
        assertThat(hex(out -> CbLayoutRecall.encodeArgs(out, new CbLayoutRecall.Args(4, 3, false, file))))
                .isEqualTo("00000005" + "00000004" + "00000003" + "00000000" + "00000001" + FILE_HEX
                        + "0000000000000002" + "ffffffffffffffff" + STATE_HEX);
        CbLayoutRecall.Scope system = new CbLayoutRecall.OfFileSystem(new FileSystemId(8, 9));
        assertThat(hex(out -> CbLayoutRecall.encodeArgs(out, new CbLayoutRecall.Args(4, 3, true, system))))
                .isEqualTo("00000005" + "00000004" + "00000003" + "00000001" + "00000002" + "0000000000000008"
                        + "0000000000000009");
    }

    @Test
    void shouldLayOutNotificationOfALock() {
        StateOwner owner = new StateOwner(5, Opaque.of("o"));
        assertThat(hex(out -> CbNotifyLock.encodeArgs(out, new CbNotifyLock.Args(FILE, owner))))
                .isEqualTo("0000000d" + FILE_HEX + "0000000000000005" + "00000001" + "6f000000");
    }

    @ParameterizedTest
    @CsvSource({
        "00000002 00000000, 0",
        "00000002 00000001 00000003, 3",
        "00000002 00000003 00000001 00000000 00000000, 1",
        "00000002 00000002 00000002 00000100, 80000002"
    })
    void shouldReadTheTypesOfRecallAnyFromABitmapOfAnyLength(String hex, String types) throws XdrException {
        XdrReader in = reader(hex);
        assertThat(CbRecallAny.decodeArgs(in)).isEqualTo(new CbRecallAny.Args(2, Integer.parseUnsignedInt(types, 16)));
        in.requireEnd();
    }

    @Test
    void shouldKnowTheTypesOfRecallAnyThatHaveAMeaning() {
        assertThat(CbRecallAny.DEFINED_TYPES).isEqualTo(0b11_1111_0011_0001_1111);
    }

    /** More lists, calls, words of a bitmap or operations than octets follow, or than anybody has a use for. */
    @ParameterizedTest
    @ValueSource(strings = {"ffffffff", "7fffffff", "00000401", "00000002"})
    void shouldRefuseCountsThatTheMessageIsTooShortFor(String count) {
        String head = SESSION_HEX + "00000005" + "00000006" + "00000007" + "00000001";
        String list = SESSION_HEX + count + "00000021" + "00000022";
        assertThatThrownBy(() -> CbSequence.decodeArgs(reader(head + count + SESSION_HEX + "00000000")))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("count");
        assertThatThrownBy(() -> CbSequence.decodeArgs(reader(head + "00000001" + list)))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("count");
        assertThatThrownBy(() -> CbRecallAny.decodeArgs(reader("00000000" + count + "00000001")))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("count");
        assertThatThrownBy(
                        () -> CbCompound.decodeArgs(reader("00000000" + "00000001" + "00000000" + count + "0000000b")))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("count");
    }

    @Test
    void shouldRefuseLengthsOfFilesAndOwnersOverTheirLimits() {
        String longHandle = "00000081" + "00".repeat(132);
        assertThatThrownBy(() -> CbRecall.decodeArgs(reader(STATE_HEX + "00000000" + longHandle)))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("length");
        assertThatThrownBy(() -> CbGetAttr.decodeArgs(reader(longHandle + "00000000")))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("length");
        assertThatThrownBy(() ->
                        CbNotifyLock.decodeArgs(reader(FILE_HEX + "0000000000000005" + "00000401" + "00".repeat(1028))))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("length");
        assertThatThrownBy(() -> CbCompound.decodeArgs(
                        reader("00000401" + "00".repeat(1028) + "00000001" + "00000000" + "00000000")))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("length");
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000000", "00000004", "ffffffff"})
    void shouldRefuseRecallOfLayoutsOfNoKnownScope(String type) {
        assertThatThrownBy(() -> CbLayoutRecall.decodeArgs(reader("00000004 00000003 00000000" + type)))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("layoutrecall_type4");
    }

    @Test
    void shouldTellAnIllegalOperationFromTheResultOfAnother() throws XdrException {
        assertThat(CbCompound.decodeStatus(reader("0000273c 0000273c"), Opcode.CB_RECALL))
                .isEqualTo(Status.NFS4ERR_OP_ILLEGAL);
        assertThatThrownBy(() -> CbCompound.decodeStatus(reader("00000003 00000000"), Opcode.CB_RECALL))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("CB_GETATTR")
                .hasMessageContaining("CB_RECALL");
    }

    @ParameterizedTest
    @CsvSource({
        "3,CB_GETATTR",
        "4,CB_RECALL",
        "10,CB_RECALL_SLOT",
        "11,CB_SEQUENCE",
        "14,CB_NOTIFY_DEVICEID",
        "10044,CB_ILLEGAL",
        "2,callback operation 2",
        "15,callback operation 15"
    })
    void shouldNameCallbacksAsTheSpecificationDoes(int opcode, String name) {
        assertThat(Opcode.callbackName(opcode)).isEqualTo(name);
        assertThat(Opcode.isDefinedCallback(opcode)).isEqualTo(name.startsWith("CB_") && opcode != Opcode.CB_ILLEGAL);
    }
}
