package io.verbena.simulation.disk;

import static io.verbena.simulation.disk.DiskFixture.name;
import static io.verbena.simulation.disk.DiskFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.FileReference;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DiskChannelTest {
    private final DiskFixture fixture = new DiskFixture();
    private FileReference file;
    private FileChannel channel;

    @BeforeEach
    void open() throws IOException {
        file = fixture.file("file", "0123456789");
        channel = file.open(true);
    }

    @Test
    void shouldReadAndWriteAtItsPosition() throws Exception {
        ByteBuffer four = ByteBuffer.allocateDirect(4);
        assertThat(channel.read(four)).isEqualTo(4);
        assertThat(four.flip().get(3)).isEqualTo((byte) '3');
        assertThat(channel.position()).isEqualTo(4);
        channel.write(ByteBuffer.wrap(name("xy")));
        assertThat(channel.position(9).read(ByteBuffer.allocate(5))).isEqualTo(1);
        assertThat(channel.read(ByteBuffer.allocate(5))).isEqualTo(-1);
        assertThat(channel.read(ByteBuffer.allocate(0), 100)).isZero();
        assertThat(read(file)).isEqualTo("0123xy6789");
        assertThatThrownBy(() -> channel.read(four, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channel.position(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldScatterAndGather() throws Exception {
        ByteBuffer[] two = {ByteBuffer.wrap(name("abc")), ByteBuffer.wrap(name("def"))};
        assertThat(channel.position(8).write(two)).isEqualTo(6);
        assertThat(channel.size()).isEqualTo(14);
        ByteBuffer[] targets = {ByteBuffer.allocate(3), ByteBuffer.allocate(100)};
        assertThat(channel.position(0).read(targets)).isEqualTo(14);
        assertThat(targets[1].position()).isEqualTo(11);
        assertThat(channel.read(targets)).isEqualTo(-1);
    }

    @Test
    void shouldLeaveHolesThatReadAsZeros() throws Exception {
        channel.write(ByteBuffer.wrap(name("x")), 1_000_000);
        assertThat(channel.size()).isEqualTo(1_000_001);
        assertThat(file.status().allocated()).isEqualTo(2 * 4096);
        byte[] all = new byte[1_000_001];
        assertThat(channel.read(ByteBuffer.wrap(all), 0)).isEqualTo(all.length);
        byte[] expected = Arrays.copyOf(name("0123456789"), all.length);
        expected[1_000_000] = 'x';
        assertThat(all).isEqualTo(expected).isEqualTo(fixture.disk.view().read("file"));
    }

    @Test
    void shouldTruncateToASmallerSizeAlone() throws Exception {
        channel.position(8).truncate(20);
        assertThat(channel.size()).isEqualTo(10);
        channel.truncate(4);
        assertThat(channel.position()).isEqualTo(4);
        channel.write(ByteBuffer.wrap(name("x")), 6);
        assertThat(read(file)).isEqualTo("0123\0\0x");
    }

    @Test
    void shouldAppendWhateverThePosition() throws Exception {
        try (FileChannel end = file.open(Set.of(StandardOpenOption.APPEND))) {
            channel.write(ByteBuffer.wrap(name("x")), 10);
            end.write(ByteBuffer.wrap(name("y")));
            end.write(ByteBuffer.wrap(name("z")), 0);
            assertThat(end.position()).isEqualTo(13);
            assertThatThrownBy(() -> end.read(ByteBuffer.allocate(1))).isInstanceOf(NonReadableChannelException.class);
        }
        assertThat(read(file)).isEqualTo("0123456789xyz");
    }

    @Test
    void shouldForceEachWriteOfASynchronousChannel() throws Exception {
        try (FileChannel sync = file.open(Set.of(StandardOpenOption.WRITE, StandardOpenOption.DSYNC))) {
            sync.write(ByteBuffer.wrap(name("x")));
        }
        fixture.crash(DiskFixture.WORST);
        assertThat(fixture.content("file")).isEqualTo("x123456789");
    }

    @Test
    void shouldTransferFromAndToOtherChannels() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(channel.transferTo(7, 100, Channels.newChannel(out))).isEqualTo(3);
        assertThat(out).hasToString("789");
        ByteArrayInputStream in = new ByteArrayInputStream(name("abcdef"));
        assertThat(channel.transferFrom(Channels.newChannel(in), 8, 4)).isEqualTo(4);
        assertThat(read(file)).isEqualTo("01234567abcd");
        assertThat(channel.transferFrom(Channels.newChannel(in), 100, 4)).isZero();
    }

    @Test
    void shouldDoOnlyWhatItWasOpenedFor() throws Exception {
        try (FileChannel reader = file.open(false)) {
            assertThatThrownBy(() -> reader.truncate(0)).isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> reader.write(ByteBuffer.allocate(0)))
                    .isInstanceOf(NonWritableChannelException.class);
        }
        assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_ONLY, 0, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(channel::tryLock).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1), 1L << 44))
                .hasMessage("File too large");
        channel.close();
        assertThatThrownBy(() -> channel.size()).isInstanceOf(ClosedChannelException.class);
    }
}
