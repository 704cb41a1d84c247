package io.verbena.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.verbena.conformance.Proves;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransportHeaderTest {
    private final TransportHeader header = new TransportHeader();

    @Test
    void shouldKeepSegmentsAsTheListsGrow() {
        for (int i = 0; i < 100; i++) {
            header.readList().add(4 * i, i, -i, -1L - i);
        }

        assertThat(header.readList().size()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            assertThat(header.readList().position(i)).isEqualTo(4L * i);
            assertThat(header.readList().handle(i)).isEqualTo(i);
            assertThat(header.readList().length(i)).isEqualTo(Integer.toUnsignedLong(-i));
            assertThat(header.readList().offset(i)).isEqualTo(-1L - i);
        }
    }

    @Test
    @Proves("V1-3.2.2-1")
    @DisplayName("handles have 32 bits, offsets 64, and positions and lengths are unsigned")
    void shouldKeepNumbersUnsigned() {
        header.readList().add(0xfffffffc, 0xffffffff, 0xffffffff, -1);

        assertThat(header.readList().position(0)).isEqualTo(0xfffffffcL);
        assertThat(header.readList().length(0)).isEqualTo(0xffffffffL);
        assertThat(header.readList().handle(0)).isEqualTo(0xffffffff);
        assertThat(header.readList().offset(0)).isEqualTo(-1L);
    }

    @Test
    void shouldAddLengthsWithoutOverflow() {
        SegmentList chunk = header.writeList().add();
        chunk.add(1, -1, 0);
        chunk.add(2, -1, 0);

        assertThat(chunk.totalLength()).isEqualTo(2 * 0xffffffffL);
    }

    @Test
    void shouldReuseWriteChunksEmpty() {
        header.writeList().add().add(1, 2, 3);
        header.clear();

        assertThat(header.writeList().size()).isZero();
        assertThat(header.writeList().add().size()).isZero();
        assertThat(header.hasChunks()).isTrue();
    }

    /** Such a chunk takes two words on the wire, so that a peer can send very many of them. */
    @Test
    void shouldSpendLittleOnWriteChunksWithoutSegments() {
        int chunks = 10_000;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        threads.getCurrentThreadAllocatedBytes();

        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < chunks; i++) {
            header.writeList().add();
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(header.writeList().size()).isEqualTo(chunks);
        assertThat(allocated).isLessThan(64L * chunks);
    }

    @Test
    void shouldRefuseIndexesBehindTheEnd() {
        header.readList().add(0, 1, 2, 3);
        header.writeList().add().add(1, 2, 3);
        header.clear();
        header.writeList().add();

        assertThatThrownBy(() -> header.readList().position(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> header.readList().offset(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> header.writeList().chunk(1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> header.writeList().chunk(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> header.writeList().chunk(0).length(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> header.writeList().chunk(0).setLength(0, 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void shouldCopySegments() {
        SegmentList from = new SegmentList();
        for (int i = 0; i < 9; i++) {
            from.add(i, 10 + i, 20 + i);
        }
        SegmentList to = header.replyChunk();
        to.add(99, 99, 99);

        to.copyFrom(from);
        from.setLength(8, 0);

        assertThat(to.size()).isEqualTo(9);
        assertThat(to.handle(8)).isEqualTo(8);
        assertThat(to.length(8)).isEqualTo(18);
        assertThat(to.offset(8)).isEqualTo(28);
    }

    @Test
    @Proves("V1-5.1.1-1")
    @DisplayName("xid, version, credits and procedure stand at 0, 4, 8 and 12")
    void shouldReadFixedFieldsAtTheirOffsets() {
        ByteBuffer message = ByteBuffer.allocate(20)
                .putInt(4, 11)
                .putInt(8, 12)
                .putInt(12, 13)
                .putInt(16, 14);

        assertThat(FixedFields.xid(message, 4)).isEqualTo(11);
        assertThat(FixedFields.version(message, 4)).isEqualTo(12);
        assertThat(FixedFields.credits(message, 4)).isEqualTo(13);
        assertThat(FixedFields.procedure(message, 4)).isEqualTo(14);
        assertThat(FixedFields.LENGTH).isEqualTo(16);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1023, 1025, 4095, 262145, 263168, -1024, Integer.MIN_VALUE})
    @Proves("CM-4.2-1")
    @DisplayName("sizes are multiples of 1024 from 1024 to 262144")
    void shouldRefuseSizesThatCannotBeSent(int size) {
        assertThatThrownBy(() -> new LocalSettings(size, 1024, false)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LocalSettings(1024, size, false)).isInstanceOf(IllegalArgumentException.class);
    }
}
