package io.verbena.nfs41.client.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.TestThread;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The places of appends beside truncations, interruptions and one another. */
@Timeout(60)
class AppendQueueTest {
    private static final Set<StandardOpenOption> BOTH = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> APPEND = Set.of(StandardOpenOption.APPEND);
    private static final int ROUNDS = 60;
    private static final int RECORDS = 50;

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** What the server has; holes are dots. */
    private String content() {
        return new String(server.content, 0, server.size, StandardCharsets.US_ASCII).replace('\0', '.');
    }

    /** Begins to truncate the file, and to append while the truncation is at the server. */
    private void appendBehindATruncation(RemoteFile file, TestThread.Action append) throws Exception {
        server.hold(Opcode.SETATTR);
        TestThread truncating = TestThread.start(() -> file.truncate(0));
        server.awaitHeld();
        TestThread appending = TestThread.start(append).awaitWaiting();
        server.letGo();
        assertThat(truncating.end()).isNull();
        assertThat(appending.end()).isNull();
        file.sync();
    }

    @Test
    void shouldAppendBehindATruncationThatWasCalledBefore() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.appendAsync(text("0123456789"), at -> {}).get(20, TimeUnit.SECONDS);
            appendBehindATruncation(
                    file, () -> file.appendAsync(text("record"), at -> {}).get(20, TimeUnit.SECONDS));
            assertThat(content()).isEqualTo("record");
        }
    }

    @Test
    void shouldAppendByAChannelBehindATruncationThatWasCalledBefore() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                RemoteFile log = mount.open("/file", APPEND, 0600);
                SeekableByteChannel channel = log.channel()) {
            channel.write(text("0123456789"));
            log.sync();
            appendBehindATruncation(file, () -> channel.write(text("record")));
            log.sync();
            assertThat(content()).isEqualTo("record");
        }
    }

    @Test
    void shouldLeaveNoHoleBetweenAppendsAndTruncations() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                RemoteFile log = mount.open("/file", APPEND, 0600);
                SeekableByteChannel one = log.channel();
                SeekableByteChannel two = log.channel()) {
            CyclicBarrier round = new CyclicBarrier(3);
            TestThread first = TestThread.start(() -> appendInRounds(one, round));
            TestThread second = TestThread.start(() -> appendInRounds(two, round));
            for (int i = 0; i < ROUNDS; i++) {
                round.await(20, TimeUnit.SECONDS);
                file.truncate(0);
                round.await(20, TimeUnit.SECONDS);
                log.sync();
                assertThat(content()).as("round %d", i).matches("(record)*");
            }
            assertThat(first.end()).isNull();
            assertThat(second.end()).isNull();
        }
    }

    private static void appendInRounds(SeekableByteChannel channel, CyclicBarrier round) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            round.await(20, TimeUnit.SECONDS);
            for (int each = 0; each < RECORDS; each++) {
                channel.write(text("record"));
            }
            round.await(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldLeaveNoHoleWhereAnAppendWasInterrupted() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", APPEND, 0600);
                SeekableByteChannel one = file.channel();
                SeekableByteChannel other = file.channel()) {
            server.hold(Opcode.GETATTR);
            TestThread first = TestThread.start(() -> one.write(text("AAAA")));
            server.awaitHeld();
            TestThread second =
                    TestThread.start(() -> other.write(text("BBBB"))).awaitWaiting();
            assertThat(first.interrupt()).isInstanceOf(InterruptedIOException.class);
            server.letGo();
            assertThat(second.end()).isNull();
            file.sync();
            assertThat(content()).isEqualTo("BBBB");
        }
    }

    /** It is larger than what is collected, and goes out in several pieces all the same. */
    @Test
    void shouldAppendLargeBuffersByChannelsInOneOrder() throws Exception {
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", APPEND, 0600);
                SeekableByteChannel one = file.channel();
                SeekableByteChannel other = file.channel()) {
            one.write(text("a".repeat(10_000)));
            other.write(text("b".repeat(3)));
            one.write(text("c".repeat(5_000)));
            assertThat(one.position()).isEqualTo(15_003);
            file.sync();
            assertThat(content()).isEqualTo("a".repeat(10_000) + "bbb" + "c".repeat(5_000));
        }
    }

    /** The server takes the data late: by then the buffer is the caller's again, and holds something else. */
    @Test
    void shouldNotWriteFromABufferWhoseCallerWasInterrupted() throws Exception {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", options, 0600)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(4).put(text("AAAA")).flip();
            server.failNext(Opcode.WRITE, Status.NFS4ERR_DELAY);
            server.hold(Opcode.WRITE);
            TestThread writing = TestThread.start(() -> file.write(buffer, 0));
            server.awaitHeld();
            assertThat(writing.interrupt()).isInstanceOf(InterruptedIOException.class);
            buffer.clear().put(text("XXXX"));
            server.letGo();
            file.sync();
            assertThat(content()).isEqualTo("AAAA");
        }
    }
}
