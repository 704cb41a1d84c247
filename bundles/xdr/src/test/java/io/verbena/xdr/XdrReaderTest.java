package io.verbena.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.HexFormat;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XdrReaderTest {
    @Test
    void shouldReadIntegersBigEndian() throws XdrException {
        XdrReader in = reader("01020304 fffffffe ffffffff 0102030405060708");

        assertThat(in.getInt()).isEqualTo(0x01020304);
        assertThat(in.getInt()).isEqualTo(-2);
        assertThat(in.getUnsignedInt()).isEqualTo(0xffffffffL);
        assertThat(in.getLong()).isEqualTo(0x0102030405060708L);
        in.requireEnd();
    }

    @Test
    void shouldReadPartsOfBuffersOfAnyOrderAndLeaveThemAlone() throws XdrException {
        ByteBuffer buffer = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put(7, (byte) 9).position(4).limit(8);

        XdrReader in = new XdrReader(buffer);

        assertThat(in.remaining()).isEqualTo(4);
        assertThat(in.getInt()).isEqualTo(9);
        assertThat(in.position()).isEqualTo(4);
        assertThat(buffer.position()).isEqualTo(4);
        assertThat(buffer.limit()).isEqualTo(8);
        assertFails(4, in::getInt);
    }

    @Test
    void shouldLookAheadWithoutAStep() throws XdrException {
        XdrReader in = reader("00000001 00000002 00000003");
        assertThat(in.getInt()).isEqualTo(1);
        XdrReader ahead = in.ahead();
        assertThat(ahead.getInt()).isEqualTo(2);
        assertThat(ahead.getInt()).isEqualTo(3);
        ahead.requireEnd();
        assertThat(in.getInt()).isEqualTo(2);
        assertThat(in.remaining()).isEqualTo(4);
    }

    @Test
    void shouldReadBooleansStrictly() throws XdrException {
        XdrReader in = reader("00000001 00000000 00000002 ffffffff");

        assertThat(in.getBoolean()).isTrue();
        assertThat(in.getBoolean()).isFalse();
        assertFails(8, in::getBoolean);
        assertFails(12, in::getBoolean);
    }

    @Test
    void shouldReadOpaquesAndPassOverTheirPadding() throws XdrException {
        XdrReader in = reader("010203ff 00000005 0102030405ffffff 00000002 0102ffff 00000001 01ffffff 0000002a");

        assertThat(in.getFixedOpaque(3)).containsExactly(1, 2, 3);
        assertThat(in.getOpaque(5)).containsExactly(1, 2, 3, 4, 5);
        ByteBuffer view = in.getOpaqueView(2);
        assertThat(view).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
        assertThatThrownBy(() -> view.put((byte) 0)).isInstanceOf(ReadOnlyBufferException.class);
        in.skipOpaque(1);
        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldPassOverOpaquesWithoutAllocating() throws XdrException {
        XdrReader in = new XdrReader();
        ByteBuffer stream = ByteBuffer.allocate(12).putInt(0, 5);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rounds = 10_000;
        threads.getCurrentThreadAllocatedBytes();

        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++) {
            in.wrap(stream).skipOpaque(5);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        in.requireEnd();
        // less than the smallest object in each round: linking and measuring allocate once
        assertThat(allocated).isLessThan(16L * rounds);
    }

    @Test
    void shouldReadDataThatStandsInTheStream() throws XdrException {
        XdrReader in = reader("00000003 010203ff 00000003 040506ff 0000002a");
        ByteBuffer sink = ByteBuffer.allocate(5).position(1);

        assertThat(in.getData(3)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(in.getDataInto(sink)).isEqualTo(3);
        assertThat(sink.position()).isEqualTo(4);
        assertThat(sink.array()).containsExactly(0, 4, 5, 6, 0);
        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldReadStrings() throws XdrException {
        XdrReader in = reader("00000005 c3a4e282ac000000 00000000");

        assertThat(in.getString(5)).isEqualTo("\u00e4\u20ac");
        assertThat(in.getString(5)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ff000000", "c3000000", "c0800000", "eda08000", "80000000"})
    void shouldRefuseStringsThatAreNotUtf8(String octets) {
        String length = octets.startsWith("ed") ? "00000003" : octets.startsWith("c0") ? "00000002" : "00000001";

        assertFails(4, () -> {
            XdrReader in = reader("00000000" + length + octets);
            in.getInt();
            in.getString(3);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000005", "7ffffffc", "7ffffffd", "7fffffff", "80000000", "fffffffd", "ffffffff"})
    void shouldRefuseLengthsOverTheBound(String length) {
        String stream = length + "0000000000000000";
        ByteBuffer sink = ByteBuffer.allocate(4);

        assertFails(0, () -> reader(stream).getOpaque(4));
        assertFails(0, () -> reader(stream).getOpaqueView(4));
        assertFails(0, () -> reader(stream).getString(4));
        assertFails(0, () -> reader(stream).skipOpaque(4));
        assertFails(0, () -> reader(stream).getData(4));
        assertFails(0, () -> reader(stream).getDataInto(sink));
        assertFails(0, () -> reader(stream).getCount(4, 0));
        assertThat(sink.position()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000009", "00000100", "7ffffffc", "7ffffffd", "7fffffff", "80000000", "ffffffff"})
    void shouldRefuseLengthsBeyondTheStreamWhateverTheBound(String length) {
        String stream = length + "0000000000000000";
        int max = Integer.MAX_VALUE;

        assertThatThrownBy(() -> reader(stream).getOpaque(max)).isInstanceOf(XdrException.class);
        assertThatThrownBy(() -> reader(stream).getOpaqueView(max)).isInstanceOf(XdrException.class);
        assertThatThrownBy(() -> reader(stream).getString(max)).isInstanceOf(XdrException.class);
        assertThatThrownBy(() -> reader(stream).skipOpaque(max)).isInstanceOf(XdrException.class);
        assertThatThrownBy(() -> reader(stream).getData(max)).isInstanceOf(XdrException.class);
        assertThatThrownBy(() -> reader(stream).getCount(max, 1)).isInstanceOf(XdrException.class);
    }

    @Test
    void shouldNotOverflowWhereTheStreamBeginsLateInItsBuffer() {
        ByteBuffer buffer = ByteBuffer.allocate(1024);
        buffer.putInt(512, 0x7ffffff8).position(512);

        assertFails(4, () -> new XdrReader(buffer).getOpaque(Integer.MAX_VALUE));
        assertFails(4, () -> new XdrReader(buffer).getOpaqueView(Integer.MAX_VALUE));
        assertFails(0, () -> new XdrReader(buffer).skip(Integer.MAX_VALUE));
    }

    @Test
    void shouldRefuseOpaquesWithoutTheirPadding() {
        assertFails(4, () -> reader("00000003 010203").getOpaque(3));
        assertFails(0, () -> reader("010203").getFixedOpaque(3));
    }

    @Test
    void shouldCheckCountsAgainstWhatTheStreamHolds() throws XdrException {
        String stream = "00000003 00000001 00000002 00000003";

        assertThat(reader(stream).getCount(3, 4)).isEqualTo(3);
        assertThat(reader("ffff").remaining()).isEqualTo(2);
        assertFails(0, () -> reader(stream).getCount(2, 4));
        assertFails(0, () -> reader(stream).getCount(3, 5));
        assertFails(0, () -> reader("40000000" + "00000000").getCount(Integer.MAX_VALUE, 8));
        assertThat(reader("40000000").getCount(Integer.MAX_VALUE, 0)).isEqualTo(0x40000000);
    }

    @Test
    void shouldRefuseToReadBehindTheEnd() {
        assertFails(0, () -> reader("").getInt());
        assertFails(0, () -> reader("000000").getInt());
        assertFails(0, () -> reader("00000000 000000").getLong());
        assertFails(0, () -> reader("00000000").skip(5));
        assertFails(0, () -> reader("00000000").skip(Integer.MAX_VALUE));
        assertFails(0, () -> new XdrReader().getInt());
    }

    @Test
    void shouldSkip() throws XdrException {
        XdrReader in = reader("00000000 00000000 0000002a");
        in.skip(0);
        in.skip(8);

        assertThat(in.getInt()).isEqualTo(42);
        assertThatThrownBy(() -> in.skip(-4)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseOctetsTooMany() throws XdrException {
        XdrReader in = reader("00000000 00000000");
        in.getInt();

        assertFails(4, in::requireEnd);
        in.getInt();
        in.requireEnd();
    }

    @Test
    void shouldStartAfreshWhenWrapped() throws XdrException {
        XdrReader in = reader("00000008 00000001");
        in.addItem(new DataItem(4, ByteBuffer.allocate(8)));
        in.addItem(new DataItem(12, ByteBuffer.allocate(4)));
        in.getData(8);

        in.wrap(ByteBuffer.wrap(HexFormat.of().parseHex("0000002a")));

        assertThat(in.position()).isZero();
        assertThat(in.getInt()).isEqualTo(42);
        in.requireEnd();
    }

    private static void assertFails(int offset, ThrowingCallable call) {
        XdrException failure = catchThrowableOfType(XdrException.class, call);
        assertThat(failure).isNotNull();
        assertThat(failure.offset()).as(failure.getMessage()).isEqualTo(offset);
        assertThat(failure).hasMessageEndingWith("at stream offset " + offset);
    }

    private static XdrReader reader(String octets) {
        return new XdrReader(ByteBuffer.wrap(HexFormat.of().parseHex(octets.replace(" ", ""))));
    }
}
