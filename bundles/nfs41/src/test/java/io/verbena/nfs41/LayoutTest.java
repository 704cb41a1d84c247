package io.verbena.nfs41;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.xdr.DataItem;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Octets at their offsets, as the XDR of RFC 5662 has them. */
class LayoutTest {
    private static String hex(Consumer<XdrWriter> encoder) {
        XdrWriter out = new XdrWriter();
        encoder.accept(out);
        return HexFormat.of().formatHex(out.toByteArray());
    }

    private static XdrReader reader(String hex) {
        return new XdrReader(ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", ""))));
    }

    @Test
    void shouldLayOutSequenceArguments() {
        Sequence.Args args = new Sequence.Args(new SessionId(0x0001020304050607L, 0x08090a0b0c0d0e0fL), 5, 6, 7, true);
        assertThat(hex(out -> Sequence.encodeArgs(out, args)))
                .isEqualTo("00000035" + "000102030405060708090a0b0c0d0e0f" + "00000005" + "00000006" + "00000007"
                        + "00000001");
    }

    @Test
    void shouldLayOutACompoundRequest() {
        assertThat(hex(out -> {
                    int countAt = Compound.encodeArgs(out, new Compound.Args("ab", 1, 0));
                    PutRootFh.encodeArgs(out);
                    GetFh.encodeArgs(out);
                    out.setInt(countAt, 2);
                }))
                .isEqualTo("00000002" + "61620000" + "00000001" + "00000002" + "00000018" + "0000000a");
    }

    @Test
    void shouldFillInTheHeadOfACompoundReply() {
        assertThat(hex(out -> {
                    int at = Compound.encodeResult(out, "abcde");
                    PutRootFh.encodeResult(out);
                    Compound.encodeFailure(out, Opcode.LOOKUP, Status.NFS4ERR_NOENT);
                    Compound.finishResult(out, at, "abcde", Status.NFS4ERR_NOENT, 2);
                }))
                .isEqualTo("00000002" + "00000005" + "6162636465000000" + "00000002" + "00000018" + "00000000"
                        + "0000000f" + "00000002");
    }

    @Test
    void shouldLayOutReadArguments() {
        Read.Args args = new Read.Args(new StateId(1, 0x1112131415161718L, 0x191a1b1c), 0x100000000L, 0x100000);
        assertThat(hex(out -> Read.encodeArgs(out, args)))
                .isEqualTo("00000019" + "00000001" + "1112131415161718191a1b1c" + "0000000100000000" + "00100000");
    }

    @Test
    @Proves({"V1-6-1", "ULB-5.1-1"})
    @DisplayName("WRITE's data may leave the stream")
    void shouldKeepTheDataOfWriteOutOfTheStream() {
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5});
        XdrWriter out = new XdrWriter();
        Write.encodeArgs(out, new Write.Args(StateId.ANONYMOUS, 0, StableHow.FILE_SYNC4, data));
        assertThat(out.position()).isEqualTo(4 + 16 + 8 + 4 + 4);
        assertThat(out.items()).singleElement().satisfies(item -> {
            assertThat(item.position()).isEqualTo(36);
            assertThat(item.data()).isSameAs(data);
        });
    }

    @Test
    @Proves("ULB-5.1-4")
    @DisplayName("READLINK's text may leave the stream, and is taken from where it is")
    void shouldKeepTheTextOfReadLinkOutOfTheStream() throws XdrException {
        XdrWriter out = new XdrWriter();
        ReadLink.encodeResult(out, new ReadLink.Result("../there"));
        assertThat(out.position()).isEqualTo(3 * 4);
        assertThat(out.items()).singleElement().satisfies(item -> {
            assertThat(item.position()).isEqualTo(12);
            assertThat(item.data()).isEqualTo(ByteBuffer.wrap("../there".getBytes(StandardCharsets.US_ASCII)));
        });
        assertThat(hex(to -> ReadLink.encodeResult(to, new ReadLink.Result("abcde"))))
                .isEqualTo("0000001b" + "00000000" + "00000005" + "6162636465000000");
    }

    @Test
    @Proves("ULB-5.1-3")
    @DisplayName("CREATE's link text is taken from a chunk; the name behind it is not")
    void shouldTakeTheTextOfALinkFromAChunk() throws XdrException {
        XdrReader in = reader("00000005 00000005 00000001 6e000000 00000000 00000000");
        in.addItem(new DataItem(8, ByteBuffer.wrap("abcde".getBytes(StandardCharsets.US_ASCII))));
        assertThat(Create.decodeArgs(in)).isEqualTo(Create.symbolicLink("n", "abcde", Attributes.EMPTY));
        in.requireEnd();

        XdrReader name = reader("00000005 00000005 61626364 65000000 00000001 00000000 00000000");
        name.addItem(new DataItem(20, ByteBuffer.wrap(new byte[] {'n'})));
        assertThatThrownBy(() -> Create.decodeArgs(name))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("not DDP-eligible");
    }

    @Test
    @Proves({"V1-4.4.3.2-2", "ULB-5.1-2"})
    @DisplayName("READ's result is a union: its data may leave the stream, the status that tells the arm never does")
    void shouldKeepAllOfReadsResultButTheDataInTheStream() {
        XdrWriter out = new XdrWriter();
        Read.encodeResult(out, new Read.Result(true, ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5})));
        assertThat(out.position()).isEqualTo(4 * 4);
        assertThat(out.items()).singleElement().satisfies(item -> {
            assertThat(item.position()).isEqualTo(16);
            assertThat(item.data().remaining()).isEqualTo(5);
        });

        XdrReader in = reader("00000000 00000001 00000004 00000000");
        in.addItem(new DataItem(0, ByteBuffer.wrap(new byte[4])));
        assertThatThrownBy(in::getInt).isInstanceOf(XdrException.class).hasMessageContaining("not DDP-eligible");
    }

    @Test
    void shouldReadDataIntoTheSinkThatTheTransportFilled() throws XdrException {
        ByteBuffer sink = ByteBuffer.wrap(new byte[] {9, 9, 9, 0, 0, 0});
        XdrReader in = reader("00000001 00000003");
        in.addItem(new DataItem(DataItem.IN_ORDER, sink.slice(0, 3)));
        assertThat(Read.decodeResultInto(in, sink)).isTrue();
        assertThat(sink.position()).isEqualTo(3);
        in.requireEnd();
    }

    @Test
    void shouldLayOutAttributesInTheOrderOfTheirNumbers() {
        Attributes attributes = Attributes.builder()
                .put(Attribute.OWNER, "7")
                .put(Attribute.SIZE, 2L)
                .put(Attribute.TYPE, ObjectType.NF4REG)
                .build();
        assertThat(hex(attributes::encode))
                .isEqualTo("00000002" + "00000012" + "00000010" + "00000014" + "00000001" + "0000000000000002"
                        + "00000001" + "37000000");
    }

    @Test
    void shouldLayOutOpenByName() {
        Open.Args args = new Open.Args(
                0,
                Open.SHARE_ACCESS_READ,
                Open.SHARE_DENY_NONE,
                new StateOwner(1, Opaque.of("own")),
                new OpenHow.NoCreate(),
                new OpenClaim.Null("f"));
        assertThat(hex(out -> Open.encodeArgs(out, args)))
                .isEqualTo("00000012" + "00000000" + "00000001" + "00000000" + "0000000000000001" + "00000003"
                        + "6f776e00" + "00000000" + "00000000" + "00000001" + "66000000");
    }

    @Test
    void shouldLayOutExclusiveCreation() {
        OpenHow how = new OpenHow.ExclusiveWithAttributes(0x0102030405060708L, Attributes.EMPTY);
        assertThat(hex(how::encode)).isEqualTo("00000001" + "00000003" + "0102030405060708" + "00000000" + "00000000");
    }

    @Test
    void shouldLayOutExchangeIdArguments() {
        ExchangeId.Args args = new ExchangeId.Args(
                3, Opaque.of("me"), ExchangeId.USE_NON_PNFS, StateProtection.NONE, Optional.empty());
        assertThat(hex(out -> ExchangeId.encodeArgs(out, args)))
                .isEqualTo("0000002a" + "0000000000000003" + "00000002" + "6d650000" + "00010000" + "00000000"
                        + "00000000");
    }

    @Test
    void shouldLayOutTheOperationsOfAMachineCredential() {
        StateProtection asked = StateProtection.machine(Opcode.WRITE, Opcode.EXCHANGE_ID, Opcode.DESTROY_CLIENTID);
        StateProtection granted = asked.enforcing(
                StateProtection.machine(Opcode.EXCHANGE_ID, Opcode.CREATE_SESSION, Opcode.DESTROY_CLIENTID));
        assertThat(granted.enforces(Opcode.EXCHANGE_ID)).isTrue();
        assertThat(granted.enforces(Opcode.WRITE)).isFalse();
        assertThat(granted.enforces(Opcode.CREATE_SESSION)).isFalse();
        assertThat(StateProtection.NONE.enforces(Opcode.EXCHANGE_ID)).isFalse();
        assertThat(hex(granted::encode)).isEqualTo("00000001" + "00000002" + "00000000" + "02000400" + "00000000");
    }

    @Test
    void shouldLayOutCreateSessionArguments() {
        ChannelAttributes channel = new ChannelAttributes(0, 1, 2, 3, 4, 5, Optional.empty());
        String words = "00000000" + "00000001" + "00000002" + "00000003" + "00000004" + "00000005" + "00000000";
        CreateSession.Args args =
                new CreateSession.Args(9, 1, 2, channel, channel, 0x40000000, List.of(CallbackSecurity.NONE));
        assertThat(hex(out -> CreateSession.encodeArgs(out, args)))
                .isEqualTo("0000002b" + "0000000000000009" + "00000001" + "00000002" + words + words + "40000000"
                        + "00000001" + "00000000");
    }

    @Test
    void shouldReadADeniedLock() throws XdrException {
        XdrReader in = reader(
                "0000000c 0000271a 0000000000000001 ffffffffffffffff 00000002 0000000000000005 00000001" + " 6f000000");
        assertThat(Compound.decodeStatus(in, Opcode.LOCK)).isEqualTo(Status.NFS4ERR_DENIED);
        LockDenied denied = Lock.decodeDenied(in);
        assertThat(denied.offset()).isEqualTo(1);
        assertThat(denied.length()).isEqualTo(-1);
        assertThat(denied.type().isWrite()).isTrue();
        in.requireEnd();
    }

    @Test
    void shouldPassOverSsvParameters() throws XdrException {
        XdrReader in = reader("0000000000000001 00000001 61000000 00000000 00000002 00000000 00000000"
                + " 00000001 00000002 aabb0000 00000000 00000008 00000001 00000000");
        ExchangeId.Args args = ExchangeId.decodeArgs(in);
        assertThat(args.stateProtection().how()).isEqualTo(StateProtection.How.SP4_SSV);
        in.requireEnd();
    }

    @Test
    void shouldKeepTheMaskOfAttributesThatItCannotRead() throws XdrException {
        XdrReader in = reader("00000003 00000010 00000000 00010000 0000000c 0000000000000005 00000001");
        Attributes attributes = Attributes.decode(in);
        assertThat(attributes.isComplete()).isFalse();
        assertThat(attributes.mask().size()).isEqualTo(2);
        in.requireEnd();
    }

    @Test
    void shouldPassOverBitmapWordsThatAreNobodysYet() throws XdrException {
        XdrReader in = reader("00000004 00000002 00000000 00000000 80000000");
        assertThat(AttributeMask.decode(in)).isEqualTo(AttributeMask.of(Attribute.TYPE));
        in.requireEnd();
    }

    @Test
    void shouldRefuseAttributesWhoseLengthIsNotThatOfTheirValues() {
        XdrReader in = reader("00000001 00000010 0000000c 0000000000000005 00000000");
        assertThatThrownBy(() -> Attributes.decode(in)).isInstanceOf(XdrException.class);
    }

    @Test
    void shouldRefuseAFileHandleOf129Octets() {
        XdrReader in = reader("00000081" + "00".repeat(132));
        assertThatThrownBy(() -> PutFh.decodeArgs(in)).isInstanceOf(XdrException.class);
    }

    @Test
    void shouldRefuseTheResultOfAnotherOperation() {
        XdrReader in = reader("00000018 00000000");
        assertThatThrownBy(() -> Compound.decodeStatus(in, Opcode.PUTFH))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("PUTROOTFH");
    }

    @ParameterizedTest
    @EnumSource
    void shouldKnowEveryStatusByItsNumber(Status status) throws XdrException {
        XdrWriter out = new XdrWriter();
        status.encode(out);
        assertThat(Status.decode(new XdrReader(ByteBuffer.wrap(out.toByteArray()))))
                .isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 3, 72, 10000, 10073, 10088})
    void shouldRefuseAStatusOfNoMeaning(int code) {
        XdrReader in = reader(HexFormat.of().toHexDigits(code));
        assertThatThrownBy(() -> Status.decode(in)).isInstanceOf(XdrException.class);
    }

    @ParameterizedTest
    @CsvSource({"3,ACCESS", "18,OPEN", "22,PUTFH", "42,EXCHANGE_ID", "53,SEQUENCE", "58,RECLAIM_COMPLETE"})
    void shouldNameOperationsAsTheSpecificationDoes(int opcode, String name) {
        assertThat(Opcode.name(opcode)).isEqualTo(name);
    }
}
