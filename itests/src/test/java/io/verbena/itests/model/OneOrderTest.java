package io.verbena.itests.model;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes within one mount take effect in the order of the calls through any door, and reads see them. */
@Timeout(120)
class OneOrderTest {
    private static final int ROUNDS = 25;
    private static final byte[] HEADER = "HEADER".getBytes(US_ASCII);
    private static final Set<OpenOption> OPTIONS = Set.of(READ, WRITE, CREATE);

    @TempDir
    private Path folder;

    private final Random random = new Random(1);
    private EmbeddedMountPair pair;
    private Side side;
    private Mount mount;

    @BeforeEach
    void mount() throws IOException {
        pair = new EmbeddedMountPair(folder, 1, "");
        side = pair.side(0);
        mount = side.mount();
    }

    @AfterEach
    void unmount() throws IOException {
        pair.close();
    }

    private RemoteFile open(String name) throws IOException {
        return mount.open(side.remote(name), OPTIONS, 0644);
    }

    private byte[] octets(int length) {
        byte[] octets = new byte[length];
        random.nextBytes(octets);
        return octets;
    }

    private byte[] stored(String name) throws IOException {
        return pair.content(name).orElseThrow();
    }

    /** Checks that the file of a round has the header in place of the body's first octets. */
    private void assertHeader(int round, byte[] body) throws IOException {
        byte[] expected = body.clone();
        System.arraycopy(HEADER, 0, expected, 0, HEADER.length);
        assertSame(stored("f" + round), expected, "round " + round);
    }

    private static void assertSame(byte[] found, byte[] expected, String what) {
        assertThat(found).as("octets, %s", what).hasSize(expected.length);
        assertThat(Arrays.mismatch(found, expected))
                .as("the first octet that differs, %s", what)
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 30_000, 3_000_000})
    void shouldKeepTheHeaderThatIsWrittenAfterTheBody(int length) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] body = octets(length);
            try (RemoteFile file = open("f" + i);
                    SeekableByteChannel channel = file.channel()) {
                channel.write(ByteBuffer.wrap(body));
                channel.position(0);
                channel.write(ByteBuffer.wrap(HEADER));
            }
            assertHeader(i, body);
        }
    }

    @Test
    void shouldKeepTheHeaderThatIsWrittenAfterTheBodyByJavaNio() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] body = octets(30_000);
            try (FileChannel channel = FileChannel.open(side.path("f" + i), OPTIONS)) {
                channel.write(ByteBuffer.wrap(body));
                channel.position(0);
                channel.write(ByteBuffer.wrap(HEADER));
            }
            assertHeader(i, body);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepAPositionalWriteAfterAChannelsWrite(boolean syncs) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] body = octets(20_000);
            try (RemoteFile file = open("f" + i);
                    SeekableByteChannel channel = file.channel()) {
                channel.write(ByteBuffer.wrap(body));
                file.write(ByteBuffer.wrap(HEADER), 0);
                if (syncs) {
                    file.sync();
                }
            }
            assertHeader(i, body);
        }
    }

    @Test
    void shouldKeepTheLaterOfTwoChannelsWrites() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] body = octets(20_000);
            try (RemoteFile file = open("f" + i);
                    SeekableByteChannel one = file.channel();
                    SeekableByteChannel other = file.channel()) {
                // in turn, the channel that was written later or earlier is closed first
                (i % 2 == 0 ? one : other).write(ByteBuffer.wrap(body));
                (i % 2 == 0 ? other : one).write(ByteBuffer.wrap(HEADER));
            }
            assertHeader(i, body);
        }
    }

    @Test
    void shouldKeepTheLaterWriteOfTwoRemoteFiles() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] body = octets(20_000);
            RemoteFile one = open("f" + i);
            RemoteFile other = open("f" + i);
            one.channel().write(ByteBuffer.wrap(body));
            other.channel().write(ByteBuffer.wrap(HEADER));
            (i % 2 == 0 ? other : one).close();
            (i % 2 == 0 ? one : other).close();
            assertHeader(i, body);
        }
    }

    @Test
    void shouldKeepTheLaterWriteOfARemoteFileAndJavaNio() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] body = octets(20_000);
            try (FileChannel nio = FileChannel.open(side.path("f" + i), OPTIONS);
                    RemoteFile file = open("f" + i);
                    SeekableByteChannel channel = file.channel()) {
                if (i % 2 == 0) {
                    channel.write(ByteBuffer.wrap(body));
                    nio.write(ByteBuffer.wrap(HEADER), 0);
                } else {
                    nio.write(ByteBuffer.wrap(body));
                    channel.write(ByteBuffer.wrap(HEADER));
                }
            }
            assertHeader(i, body);
        }
    }

    /** Several writes in flight; each one overlaps the one before. */
    @Test
    void shouldKeepTheOrderOfAsynchronousWrites() throws Exception {
        try (RemoteFile file = open("f")) {
            byte[] expected = new byte[40_000];
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                byte[] part = octets(1 + random.nextInt(8000));
                int position = random.nextInt(expected.length - part.length);
                System.arraycopy(part, 0, expected, position, part.length);
                all.add(file.writeAsync(ByteBuffer.wrap(part), position));
                if (i % 20 == 19) {
                    ByteBuffer found = ByteBuffer.allocate(expected.length);
                    int read = file.read(found, 0);
                    assertSame(Arrays.copyOf(found.array(), read), Arrays.copyOf(expected, read), "after " + i);
                }
            }
            for (Future<?> each : all) {
                each.get(60, TimeUnit.SECONDS);
            }
            file.sync();
            byte[] found = stored("f");
            assertSame(found, Arrays.copyOf(expected, found.length), "at the end");
        }
    }

    @Test
    void shouldKeepTheOrderOfAsynchronousWritesByJavaNio() throws Exception {
        try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(side.path("f"), OPTIONS, null)) {
            byte[] expected = new byte[40_000];
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                byte[] part = octets(1 + random.nextInt(8000));
                int position = random.nextInt(expected.length - part.length);
                System.arraycopy(part, 0, expected, position, part.length);
                all.add(channel.write(ByteBuffer.wrap(part), position));
            }
            for (Future<?> each : all) {
                each.get(60, TimeUnit.SECONDS);
            }
            channel.force(true);
            byte[] found = stored("f");
            assertSame(found, Arrays.copyOf(expected, found.length), "at the end");
        }
    }

    /** Octets that a channel has buffered and not sent are visible to reads through its own and other RemoteFiles. */
    @Test
    void shouldReadByEveryDoorWhatAChannelHasWritten() throws Exception {
        try (RemoteFile file = open("f");
                RemoteFile other = open("f");
                FileChannel nio = FileChannel.open(side.path("f"), OPTIONS);
                SeekableByteChannel channel = file.channel()) {
            byte[] written = octets(1000);
            channel.write(ByteBuffer.wrap(written));
            for (int door = 0; door < 4; door++) {
                ByteBuffer found = ByteBuffer.allocate(1000);
                int read =
                        switch (door) {
                            case 0 -> file.readAsync(found, 0).get(60, TimeUnit.SECONDS);
                            case 1 -> other.read(found, 0);
                            case 2 -> nio.read(found, 0);
                            default -> other.channel().read(found);
                        };
                assertThat(read).as("octets by door %d", door).isEqualTo(1000);
                assertSame(found.array(), written, "by door " + door);
                written[0] = (byte) door;
                channel.position(0).write(ByteBuffer.wrap(written));
            }
            assertThat(other.attributes().size()).isEqualTo(1000);
            assertThat(mount.attributes(side.remote("f"), true).size()).isEqualTo(1000);
        }
    }

    @Test
    void shouldReadByAChannelWhatWasWrittenAtAPositionSinceItReadAhead() throws IOException {
        try (RemoteFile file = open("f");
                SeekableByteChannel channel = file.channel()) {
            file.write(ByteBuffer.wrap(octets(100_000)), 0);
            ByteBuffer found = ByteBuffer.allocate(100);
            assertThat(channel.read(found)).isEqualTo(100);
            file.write(ByteBuffer.wrap(HEADER), 100);
            assertThat(channel.read(found.clear())).isEqualTo(100);
            assertThat(Arrays.copyOf(found.array(), HEADER.length)).isEqualTo(HEADER);
        }
    }

    @Test
    void shouldReadByAChannelWhatAnotherChannelHasWrittenSinceItReadAhead() throws IOException {
        try (RemoteFile file = open("f");
                SeekableByteChannel reading = file.channel();
                SeekableByteChannel writing = file.channel()) {
            file.write(ByteBuffer.wrap(octets(100_000)), 0);
            ByteBuffer found = ByteBuffer.allocate(100);
            assertThat(reading.read(found)).isEqualTo(100);
            writing.position(100).write(ByteBuffer.wrap(HEADER));
            assertThat(reading.read(found.clear())).isEqualTo(100);
            assertThat(Arrays.copyOf(found.array(), HEADER.length)).isEqualTo(HEADER);
        }
    }

    @Test
    void shouldReadNothingThatATruncationHasTakenSinceAChannelReadAhead() throws IOException {
        try (RemoteFile file = open("f");
                SeekableByteChannel channel = file.channel()) {
            file.write(ByteBuffer.wrap(octets(100_000)), 0);
            ByteBuffer found = ByteBuffer.allocate(100);
            assertThat(channel.read(found)).isEqualTo(100);
            file.truncate(150);
            assertThat(channel.read(found.clear())).isEqualTo(50);
            assertThat(channel.read(found.clear())).isEqualTo(-1);
            file.truncate(50_000);
            assertThat(channel.read(found.clear())).isEqualTo(100);
            assertThat(found.array()).containsOnly(0);
        }
    }
}
