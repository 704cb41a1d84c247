package io.verbena.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class XdrWriterTest {
    private final XdrWriter out = new XdrWriter();

    @Test
    void shouldWriteIntegersBigEndian() {
        out.putInt(0x01020304).putInt(-2).putLong(0x0102030405060708L).putLong(-1);

        assertStream("01020304 fffffffe 0102030405060708 ffffffffffffffff");
    }

    @Test
    void shouldWriteBooleansAsZeroAndOne() {
        out.putBoolean(true).putBoolean(false);

        assertStream("00000001 00000000");
    }

    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "61, 61000000",
        "6162, 61620000",
        "616263, 61626300",
        "61626364, 61626364",
        "6162636465, 6162636465000000"
    })
    void shouldPadOpaquesWithZeros(String octets, String padded) {
        byte[] data = HexFormat.of().parseHex(octets);
        String length = String.format("%08x", data.length);
        ByteBuffer buffer =
                ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).put(2, data);
        buffer.position(2).limit(2 + data.length);

        dirty().putFixedOpaque(data);
        assertStream(padded);
        dirty().putOpaque(data);
        assertStream(length + padded);
        dirty().putOpaque(buffer);
        assertStream(length + padded);
        dirty().putString(new String(data, StandardCharsets.UTF_8));
        assertStream(length + padded);

        assertThat(buffer.position()).isEqualTo(2);
        assertThat(buffer.limit()).isEqualTo(2 + data.length);
    }

    @Test
    void shouldWritePartsOfArrays() {
        out.putFixedOpaque(new byte[] {1, 2, 3, 4, 5, 6}, 2, 3);

        assertStream("03040500");
    }

    @Test
    void shouldWriteStringsInUtf8() {
        out.putString("\u00e4\u20ac");

        assertStream("00000005 c3a4e282ac000000");
    }

    @Test
    void shouldGrow() {
        XdrWriter small = new XdrWriter(0);
        for (int i = 0; i < 1000; i++) {
            small.putInt(i);
        }
        small.putFixedOpaque(new byte[100_001]);

        assertThat(small.position()).isEqualTo(4000 + 100_004);
        ByteBuffer written = ByteBuffer.wrap(small.toByteArray());
        for (int i = 0; i < 1000; i++) {
            assertThat(written.getInt(4 * i)).isEqualTo(i);
        }
    }

    @Test
    void shouldOverwriteIntegersWrittenBefore() {
        out.putInt(1).putInt(2);

        out.setInt(0, 7);

        assertStream("00000007 00000002");
        assertThatThrownBy(() -> out.setInt(5, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> out.setInt(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new XdrWriter().setInt(0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    @Proves({"V1-4.4.3.1-1", "V1-4.4.4.1-1", "V1-4.4.5.2-1"})
    @DisplayName("an item by reference leaves its length word, neither octets nor padding")
    void shouldKeepItemsOutsideTheStream() {
        out.putInt(1).putData(octets(5)).putInt(2).putData(octets(8)).putInt(3);

        assertThat(out.position()).isEqualTo(20);
        assertThat(stream()).isEqualTo(hex("00000001 00000005 00000002 00000008 00000003"));
        assertThat(out.fullSize()).isEqualTo(20 + 8 + 8);
        assertStream("00000001 00000005 0102030405000000 00000002 00000008 0102030405060708 00000003");
    }

    @Test
    @Proves("V1-4.4.3.2-1")
    @DisplayName("optional data by reference leaves the word in the stream that says it is there")
    void shouldKeepTheMarkOfOptionalDataInTheStream() {
        out.putBoolean(true).putData(octets(4)).putBoolean(false);

        assertThat(stream()).isEqualTo(hex("00000001 00000004 00000000"));
        assertThat(out.items()).singleElement().satisfies(item -> assertThat(item.position())
                .isEqualTo(8));
    }

    @Test
    void shouldTellItemsPositionsInTheStream() {
        ByteBuffer first = octets(5);
        ByteBuffer second = octets(0);
        out.putInt(1).putData(first).putData(second).putInt(2);

        assertThat(out.items()).hasSize(2);
        assertThat(out.items().get(0).position()).isEqualTo(8);
        assertThat(out.items().get(0).data()).isSameAs(first);
        assertThat(out.items().get(1).position()).isEqualTo(12);
        assertThat(out.items().get(1).data()).isSameAs(second);
        assertThat(first.remaining()).isEqualTo(5);
    }

    @Test
    void shouldTruncateWithTheItemsBehind() {
        out.putInt(1).putData(octets(5));
        int mark = out.position();
        out.putInt(2).putData(octets(6)).putInt(3);

        out.truncate(mark);

        assertThat(out.items()).as("the item whose length word stays").hasSize(1);
        assertThat(out.fullSize()).isEqualTo(16);
        out.putInt(9);
        assertStream("00000001 00000005 0102030405000000 00000009");
    }

    @Test
    void shouldTruncateAnItemWithItsLengthWord() {
        int mark = out.putInt(1).position();
        out.putData(octets(5));

        out.truncate(mark);

        assertThat(out.items()).isEmpty();
        assertStream("00000001");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 5})
    void shouldNotTruncateToWhereNothingIs(int position) {
        out.putInt(1);

        assertThatThrownBy(() -> out.truncate(position)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldForgetAllOnReset() {
        out.putInt(1).putData(octets(5));

        out.reset();

        assertThat(out.position()).isZero();
        assertThat(out.items()).isEmpty();
        assertThat(out.fullSize()).isZero();
        out.putInt(2);
        assertStream("00000002");
    }

    @Test
    void shouldCopyPartsOfTheStream() {
        out.putInt(1).putData(octets(5)).putInt(2);
        ByteBuffer part = ByteBuffer.allocate(8);

        out.copyStream(4, 12, part);

        assertThat(part.array()).isEqualTo(hex("00000005 00000002"));
        assertThatThrownBy(() -> out.copyStream(0, 13, part)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> out.copyStream(-1, 0, part)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> out.copyStream(8, 4, part)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 4", "3, 4", "4, 4", "5, 8", "2147483644, 2147483644"})
    void shouldRoundUpToMultiplesOfFour(int length, int padded) {
        assertThat(XdrWriter.roundUp(length)).isEqualTo(padded);
    }

    /** The writer with memory full of ones, which padding has to overwrite. */
    private XdrWriter dirty() {
        out.reset();
        for (int i = 0; i < 16; i++) {
            out.putInt(-1);
        }
        out.reset();
        return out;
    }

    private byte[] stream() {
        byte[] octets = new byte[out.position()];
        out.copyStream(0, out.position(), ByteBuffer.wrap(octets));
        return octets;
    }

    private void assertStream(String expected) {
        assertThat(out.toByteArray()).isEqualTo(hex(expected));
    }

    private static ByteBuffer octets(int count) {
        ByteBuffer buffer = ByteBuffer.allocate(count + 2);
        for (int i = 1; i <= count; i++) {
            buffer.put(i, (byte) i);
        }
        return buffer.position(1).limit(1 + count);
    }

    private static byte[] hex(String octets) {
        return HexFormat.of().parseHex(octets.replace(" ", ""));
    }

    @Test
    void shouldAppendAnotherWriterWithItsDataItems() {
        XdrWriter other = new XdrWriter().putInt(2).putData(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        other.putInt(4).putData(ByteBuffer.wrap(new byte[] {5})).putInt(6);
        XdrWriter plain = new XdrWriter().putInt(1).putOpaque(new byte[] {9});
        byte[] before = plain.toByteArray();

        plain.append(other);

        assertThat(plain.items()).hasSize(2);
        assertThat(plain.fullSize()).isEqualTo(before.length + other.fullSize());
        assertThat(plain.toByteArray()).startsWith(before).endsWith(other.toByteArray());
        plain.truncate(before.length);
        assertThat(plain.items()).isEmpty();
        assertThat(plain.toByteArray()).isEqualTo(before);
    }
}
