package io.verbena.xdr;

import static io.verbena.xdr.DataItem.IN_ORDER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opaques whose octets the transport placed outside the stream. */
class DataItemTest {
    @ParameterizedTest
    @ValueSource(ints = {5, 8})
    @Proves({"V1-4.4.4.1-3", "V1-4.4.4.1-2", "V1-4.4.4-1"})
    @DisplayName("a positioned item is taken at its position, with its padding or without")
    void shouldTakePositionedItem(int placed) throws XdrException {
        XdrReader in = reader("00000001 00000005 0000002a");
        in.addItem(new DataItem(8, octets(placed)));

        assertThat(in.getInt()).isEqualTo(1);
        assertThat(in.getData(5)).isEqualTo(octets(5));
        assertThat(in.position()).as("padding counted").isEqualTo(16);
        assertThat(in.getInt()).isEqualTo(42);
        in.requireEnd();
    }

    @Test
    @Proves("V1-4.4.4-1")
    @DisplayName("positions count the items before, with their padding")
    void shouldTakePositionedItemsOneAfterAnother() throws XdrException {
        XdrReader in = reader("00000005 00000003 010203ff 00000008 0000002a");
        in.addItem(new DataItem(4, octets(5)));
        in.addItem(new DataItem(24, octets(8)));

        assertThat(in.getData(5)).isEqualTo(octets(5));
        assertThat(in.getData(5)).as("in the stream").isEqualTo(octets(3));
        assertThat(in.getData(8)).isEqualTo(octets(8));
        assertThat(in.getInt()).isEqualTo(42);
        in.requireEnd();
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 8})
    @DisplayName("what is left has the same length inline and by an item, with its padding or without")
    void shouldCountWhatIsLeftWithItems(int placed) throws XdrException {
        XdrReader inline = reader("00000001 00000005 0102030405000000 0000002a");
        XdrReader reduced = reader("00000001 00000005 0000002a");
        reduced.addItem(new DataItem(8, octets(placed)));

        assertThat(reduced.fullRemaining()).isEqualTo(inline.fullRemaining()).isEqualTo(20);
        assertThat(reduced.getInt()).isEqualTo(inline.getInt());
        assertThat(reduced.fullRemaining()).isEqualTo(inline.fullRemaining()).isEqualTo(16);
        assertThat(reduced.getData(5)).isEqualTo(octets(5));
        assertThat(reduced.fullRemaining()).as("the item is read").isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 6, 7, 9, 12})
    @Proves("V1-4.4.3.1-2")
    @DisplayName("the length in the stream and the octets placed have to agree")
    void shouldRefuseLengthsThatDisagree(int placed) {
        XdrReader positioned = reader("00000005");
        positioned.addItem(new DataItem(4, octets(placed)));
        XdrReader intoSink = reader("00000005");
        intoSink.addItem(new DataItem(4, octets(placed)));

        assertThatThrownBy(() -> positioned.getData(64)).isInstanceOf(XdrException.class);
        assertThatThrownBy(() -> intoSink.getDataInto(ByteBuffer.allocate(64))).isInstanceOf(XdrException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6, 7, 9, 12})
    @Proves({"V1-4.4.3.1-2", "V1-5.2.2-3"})
    @DisplayName("a result's length and the octets written to its Write chunk have to agree")
    void shouldRefuseInOrderLengthsThatDisagree(int placed) {
        XdrReader in = reader("00000005");
        in.addItem(new DataItem(IN_ORDER, octets(placed)));

        assertThatThrownBy(() -> in.getData(64)).isInstanceOf(XdrException.class);
    }

    @Test
    @Proves({"V1-4.4.1-1", "ULB-5.1-5"})
    @DisplayName("an item at something that is not DDP-eligible is refused, whatever reads it")
    void shouldRefuseItemsThatAreNotEligible() {
        assertIneligible(4, XdrReader::getInt);
        assertIneligible(4, XdrReader::getLong);
        assertIneligible(4, XdrReader::getBoolean);
        assertIneligible(8, in -> in.getOpaque(8));
        assertIneligible(8, in -> in.getOpaqueView(8));
        assertIneligible(8, in -> in.getString(8));
        assertIneligible(8, in -> in.skipOpaque(8));
        assertIneligible(8, in -> in.getCount(8, 0));
        assertIneligible(4, in -> in.getFixedOpaque(4));
        assertIneligible(4, in -> in.skip(4));
    }

    private interface Read {
        void from(XdrReader in) throws XdrException;
    }

    private static void assertIneligible(int position, Read read) {
        // a length word of four at offset 4 and four octets at 8: a read at offset 12 has to fail
        XdrReader in = reader("00000001 00000004 00000001 00000001");
        in.addItem(new DataItem(position, octets(4)));
        assertThatThrownBy(() -> {
                    in.getInt();
                    read.from(in);
                    in.getInt();
                })
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("not DDP-eligible");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 6, 10, 16, 400, -4, Integer.MIN_VALUE, Integer.MAX_VALUE - 3})
    @Proves("V1-4.4.1-1")
    @DisplayName("an item that stands at no opaque is refused")
    void shouldRefusePositionsInBetween(int position) {
        XdrReader in = reader("00000001 00000004 01020304 0000002a");
        in.addItem(new DataItem(position, octets(4)));

        assertThatThrownBy(() -> {
                    in.getInt();
                    in.getData(4);
                    in.getInt();
                    in.requireEnd();
                })
                .isInstanceOf(XdrException.class);
    }

    @Test
    @Proves("V1-4.4.3.2-1")
    @DisplayName("the word that says optional data is there is never placed with it")
    void shouldRefuseAPlacedMarkOfOptionalData() throws XdrException {
        XdrReader in = reader("00000001 00000004");
        in.addItem(new DataItem(8, octets(4)));
        assertThat(in.getBoolean()).isTrue();
        assertThat(in.getData(4)).isEqualTo(octets(4));

        XdrReader moved = reader("00000001 00000004 00000000");
        moved.addItem(new DataItem(0, octets(4)));
        assertThatThrownBy(moved::getBoolean).isInstanceOf(XdrException.class).hasMessageContaining("not DDP-eligible");
    }

    @Test
    void shouldRefuseItemThatIsAtAPlaceAlreadyRead() throws XdrException {
        XdrReader in = reader("00000001 00000002 00000003");
        in.getInt();
        in.getInt();
        in.addItem(new DataItem(4, octets(4)));

        assertThatThrownBy(in::getInt).isInstanceOf(XdrException.class);
        assertThatThrownBy(in::requireEnd).isInstanceOf(XdrException.class);
    }

    @Test
    void shouldRefuseTwoItemsAtOnePlace() throws XdrException {
        XdrReader in = reader("00000004 00000002");
        in.addItem(new DataItem(4, octets(4)));
        in.addItem(new DataItem(4, octets(4)));
        in.getData(4);

        assertThatThrownBy(in::getInt).isInstanceOf(XdrException.class);
    }

    @Test
    @Proves({"V1-5.2.2-3", "V1-4.4.5.2-4"})
    @DisplayName("each result takes one item in order; padding is supplied where none came")
    void shouldTakeItemsInOrder() throws XdrException {
        XdrReader in = reader("00000001 00000005 00000002 00000008 0000002a");
        in.addItem(new DataItem(IN_ORDER, octets(5)));
        in.addItem(new DataItem(IN_ORDER, octets(8)));

        assertThat(in.getInt()).isEqualTo(1);
        assertThat(in.getData(64)).isEqualTo(octets(5));
        assertThat(in.position()).isEqualTo(16);
        assertThat(in.getInt()).isEqualTo(2);
        assertThat(in.getData(64)).isEqualTo(octets(8));
        assertThat(in.getInt()).isEqualTo(42);
        in.requireEnd();
    }

    @Test
    void shouldTakeResultFromTheStreamWhereItsItemIsEmpty() throws XdrException {
        XdrReader in = reader("00000003 010203ff 00000004");
        in.addItem(new DataItem(IN_ORDER, octets(0)));
        in.addItem(new DataItem(IN_ORDER, octets(4)));

        assertThat(in.getData(64)).isEqualTo(octets(3));
        assertThat(in.getData(64)).as("the next result has the next item").isEqualTo(octets(4));
        in.requireEnd();
    }

    @Test
    void shouldTakeEmptyItemForEmptyResult() throws XdrException {
        XdrReader in = reader("00000000 00000004");
        in.addItem(new DataItem(IN_ORDER, octets(0)));
        in.addItem(new DataItem(IN_ORDER, octets(4)));

        assertThat(in.getData(64).remaining()).isZero();
        assertThat(in.getData(64)).isEqualTo(octets(4));
    }

    @Test
    void shouldAcceptUnusedItemsWithoutOctetsOnly() throws XdrException {
        XdrReader unused = reader("00000001");
        unused.addItem(new DataItem(IN_ORDER, octets(0)));
        unused.getInt();
        unused.requireEnd();

        XdrReader used = reader("00000001");
        used.addItem(new DataItem(IN_ORDER, octets(0)));
        used.addItem(new DataItem(IN_ORDER, octets(1)));
        used.getInt();
        assertThatThrownBy(used::requireEnd)
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("belongs to nothing");
    }

    @Test
    void shouldRefusePositionedItemsThatNothingHasRead() throws XdrException {
        XdrReader in = reader("00000001");
        in.addItem(new DataItem(4, octets(0)));
        in.getInt();

        assertThatThrownBy(in::requireEnd).isInstanceOf(XdrException.class).hasMessageContaining("belongs to nothing");
    }

    @Test
    void shouldNotCopyWhatIsInTheSinkAlready() throws XdrException {
        ByteBuffer sink = ByteBuffer.allocate(16).position(2).limit(12);
        sink.put(2, new byte[] {1, 2, 3, 4, 5});
        XdrReader in = reader("00000005 0000002a");
        in.addItem(new DataItem(IN_ORDER, sink.slice(2, 5)));

        assertThat(in.getDataInto(sink)).isEqualTo(5);

        assertThat(sink.position()).isEqualTo(7);
        assertThat(sink.limit()).isEqualTo(12);
        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldCopyPositionedItemIntoTheSink() throws XdrException {
        ByteBuffer sink = ByteBuffer.allocate(16).position(2);
        XdrReader in = reader("00000005 0000002a");
        in.addItem(new DataItem(4, octets(8)));

        assertThat(in.getDataInto(sink)).isEqualTo(5);

        assertThat(sink.position()).isEqualTo(7);
        assertThat(sink.slice(2, 5)).isEqualTo(octets(5));
        assertThat(sink.get(7)).as("no padding").isZero();
        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldRefuseItemLargerThanTheSink() {
        ByteBuffer sink = ByteBuffer.allocate(4);
        XdrReader in = reader("00000005");
        in.addItem(new DataItem(IN_ORDER, octets(5)));

        assertThatThrownBy(() -> in.getDataInto(sink)).isInstanceOf(XdrException.class);
        assertThat(sink.position()).isZero();
    }

    @Test
    void shouldLeaveTheItemsBufferAlone() throws XdrException {
        ByteBuffer data = octets(12).position(3).limit(8);
        XdrReader in = reader("00000005");
        in.addItem(new DataItem(4, data));

        assertThat(in.getData(5)).isEqualTo(ByteBuffer.wrap(new byte[] {4, 5, 6, 7, 8}));

        assertThat(data.position()).isEqualTo(3);
        assertThat(data.limit()).isEqualTo(8);
    }

    private static ByteBuffer octets(int count) {
        ByteBuffer buffer = ByteBuffer.allocate(count);
        for (int i = 0; i < count; i++) {
            buffer.put(i, (byte) (i + 1));
        }
        return buffer;
    }

    private static XdrReader reader(String octets) {
        return new XdrReader(ByteBuffer.wrap(HexFormat.of().parseHex(octets.replace(" ", ""))));
    }
}
