package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was called first takes effect first, on whatever the file it was called. */
@Timeout(60)
class FileOrderTest {
    private static final Set<StandardOpenOption> BOTH = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String content(int length) {
        return new String(server.content, 0, length, StandardCharsets.US_ASCII);
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException {
        return Blocking.await(new SystemRuntime(), future, TimeUnit.SECONDS.toNanos(20));
    }

    private static String read(RemoteFile file, int length) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(length);
        int count = file.read(read, 0);
        return new String(read.array(), 0, Math.max(0, count), StandardCharsets.US_ASCII);
    }

    /** WRITEs that stand in each other's way are sent one after the other. */
    private long writesUnderWay() {
        return server.opcodesSince(0).stream()
                .filter(opcode -> opcode == Opcode.WRITE)
                .count();
    }

    @Test
    void shouldSendAWriteThatOverlapsOneInFlightOnlyWhenThatIsAnswered() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            server.gate = new CountDownLatch(1);
            CompletableFuture<Void> first = file.writeAsync(text("aaaa"), 0);
            CompletableFuture<Void> overlapping = file.writeAsync(text("bb"), 2);
            CompletableFuture<Void> apart = file.writeAsync(text("cc"), 4);
            assertThat(((NfsFile) file).core().writes().isPending()).isTrue();
            server.gate.countDown();
            await(CompletableFuture.allOf(first, overlapping, apart));
            assertThat(content(6)).isEqualTo("aabbcc");
        }
    }

    @Test
    void shouldKeepTheOrderOfManyWritesOfOnePlace() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                RemoteFile other = mount.open("/file", BOTH, 0600)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                all.add((i % 2 == 0 ? file : other).writeAsync(text(String.format("%04d", i)), i % 3));
            }
            await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
            assertThat(content(6)).isEqualTo("001997");
        }
    }

    @Test
    void shouldKeepAHeaderThatIsWrittenLast() throws IOException {
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            byte[] body = new byte[3 * 4096 + 100];
            Arrays.fill(body, (byte) '.');
            try (SeekableByteChannel channel = file.channel()) {
                channel.write(ByteBuffer.wrap(body));
                channel.position(0);
                channel.write(text("HEADER"));
            }
            assertThat(content(8)).isEqualTo("HEADER..");
            assertThat(server.size).isEqualTo(body.length);
        }
    }

    @Test
    void shouldKeepTheOrderOfAChannelAndAPosition() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                SeekableByteChannel channel = file.channel();
                SeekableByteChannel other = file.channel()) {
            channel.write(text("channel"));
            file.write(text("FILE"), 0);
            file.sync();
            assertThat(content(7)).isEqualTo("FILEnel");
            other.position(2);
            other.write(text("OTHER"));
            assertThat(read(file, 7)).isEqualTo("FIOTHER");
            channel.position(0);
            channel.write(text("1234567"));
            other.position(6);
            other.write(text("8"));
            file.sync();
            assertThat(content(7)).isEqualTo("1234568");
        }
    }

    @Test
    void shouldSeeInAReadWhatAnyOpenHasWritten() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                RemoteFile other = mount.open("/file", BOTH, 0600);
                SeekableByteChannel channel = other.channel()) {
            channel.write(text("abc"));
            assertThat(read(file, 3)).isEqualTo("abc");
            channel.position(10);
            channel.write(text("xyz"));
            assertThat(read(file, 20)).hasSize(13).startsWith("abc\0").endsWith("xyz");
            channel.write(text("!"));
            assertThat(file.attributes().size()).isEqualTo(14);
            channel.write(text("!"));
            assertThat(mount.attributes("/file", true).size()).isEqualTo(15);
        }
    }

    /** Writes of one file do not make the attributes of all others cost a second call. */
    @Test
    void shouldAskForAttributesAgainOnlyOfAFileThatIsWritten() throws IOException {
        server.handles.put("other", FileHandle.of((byte) 9));
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            await(file.writeAsync(text("ab"), 0));
            int before = server.seen.size();
            assertThat(mount.attributes("/other", true).isRegularFile()).isTrue();
            assertThat(server.seen).hasSize(before + 1);
            assertThat(mount.attributes("/file", true).size()).isEqualTo(2);
            assertThat(server.seen).hasSize(before + 3);
        }
    }

    @Test
    void shouldReadWhatIsBehindTheRangeWhereThatMovesTheEnd() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            await(file.writeAsync(text("ab"), 0));
            server.gate = new CountDownLatch(1);
            CompletableFuture<Void> far = file.writeAsync(text("z"), 100);
            ByteBuffer read = ByteBuffer.allocate(10);
            CompletableFuture<Integer> reading = file.readAsync(read, 0);
            server.gate.countDown();
            assertThat(await(reading)).isEqualTo(10);
            assertThat(far).isCompleted();
        }
    }

    @Test
    void shouldTruncateBetweenTheWritesBeforeAndBehind() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                RemoteFile other = mount.open("/file", BOTH, 0600);
                SeekableByteChannel channel = other.channel()) {
            channel.write(text("0123456789"));
            file.truncate(4);
            channel.write(text("behind"));
            assertThat(read(file, 100)).isEqualTo("0123\0\0\0\0\0\0behind");
            mount.setAttributes("/file", AttributeChanges.NONE.withSize(2));
            assertThat(read(file, 100)).isEqualTo("01");
            channel.position(0);
            channel.write(text("old"));
            try (RemoteFile anew =
                    mount.open("/file", Set.of(StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING), 0600)) {
                anew.write(text("n"), 0);
                other.sync();
            }
            assertThat(server.size).isEqualTo(1);
            assertThat(content(1)).isEqualTo("n");
        }
    }

    @Test
    void shouldAppendOnceAndWholeByWhateverOpen() throws Exception {
        Set<StandardOpenOption> append = Set.of(StandardOpenOption.APPEND);
        try (NfsMount mount = server.mount("")) {
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            List<Throwable> thrown = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                Thread thread = new Thread(() -> {
                    try (RemoteFile file = mount.open("/file", append, 0600);
                            SeekableByteChannel channel = file.channel()) {
                        start.await();
                        for (int i = 0; i < 100; i++) {
                            String record = String.format("%d:%04d\n", number, i);
                            if (i % 10 == 9) {
                                long unused = await(file.appendAsync(text(record), at -> {}));
                            } else {
                                channel.write(text(record));
                            }
                        }
                    } catch (IOException | InterruptedException | RuntimeException e) {
                        synchronized (thrown) {
                            thrown.add(e);
                        }
                    }
                });
                threads.add(thread);
                thread.start();
            }
            start.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(thrown).isEmpty();
            assertThat(server.size).isEqualTo(400 * 7);
            List<String> records = List.of(content(server.size).split("\n", -1));
            assertThat(records.subList(0, 400))
                    .doesNotHaveDuplicates()
                    .allMatch(record -> record.matches("[0-3]:[0-9]{4}"));
        }
    }

    @Test
    void shouldTellTheOffsetOfAnAppendBeforeItIsSent() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(text("abc"), 0);
            List<Long> told = new ArrayList<>();
            long writes = writesUnderWay();
            long at = await(file.appendAsync(text("de"), offset -> {
                told.add(offset);
                assertThat(writesUnderWay()).isEqualTo(writes);
            }));
            assertThat(told).containsExactly(3L);
            assertThat(at).isEqualTo(3);
            assertThat(content(5)).isEqualTo("abcde");
        }
    }

    @Test
    void shouldReadWhatIsBeingAppended() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                SeekableByteChannel channel = file.channel()) {
            file.write(text("abc"), 0);
            assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(3);
            server.gate = new CountDownLatch(1);
            CompletableFuture<Long> appended = file.appendAsync(text("def"), at -> {});
            CompletableFuture<Void> over = file.writeAsync(text("X"), 4);
            ByteBuffer read = ByteBuffer.allocate(10);
            CompletableFuture<Integer> reading = file.readAsync(read, 0);
            server.gate.countDown();
            assertThat(await(reading)).isEqualTo(6);
            assertThat(new String(read.array(), 0, 6, StandardCharsets.US_ASCII))
                    .isEqualTo("abcdXf");
            assertThat(appended).isCompletedWithValue(3L);
            assertThat(over).isCompleted();
            assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(3);
        }
    }

    @Test
    void shouldAppendAtTheEndThatAnotherClientHasSet() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(text("0123456789"), 0);
            await(file.appendAsync(text("abc"), at -> {}));
            file.sync();
            server.size = 4; // by another client
            CompletableFuture<Void> pending = file.writeAsync(text("x"), 0);
            file.tryLock(100, 1, true).orElseThrow().close();
            assertThat(await(file.appendAsync(text("z"), at -> {}))).isEqualTo(4);
            await(pending);
        }
    }

    @Test
    void shouldNotReadOldDataThatWasReadAhead() throws IOException {
        byte[] old = new byte[100_000];
        Arrays.fill(old, (byte) 'o');
        try (NfsMount mount = server.mount("rsize=4096");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                SeekableByteChannel channel = file.channel()) {
            file.write(ByteBuffer.wrap(old), 0);
            ByteBuffer read = ByteBuffer.allocate(100);
            channel.read(read); // the next pages are on their way
            file.write(text("NEW"), 100);
            channel.read(read.clear());
            assertThat(new String(read.array(), 0, 4, StandardCharsets.US_ASCII))
                    .isEqualTo("NEWo");
            file.truncate(250);
            assertThat(channel.read(ByteBuffer.allocate(100))).isEqualTo(50);
            assertThat(channel.read(ByteBuffer.allocate(100))).isEqualTo(-1);
        }
    }

    @Test
    void shouldDropWhatWasReadAheadWhenALockIsTakenAndWhenTheFileIsOpened() throws IOException {
        byte[] old = new byte[100_000];
        Arrays.fill(old, (byte) 'o');
        try (NfsMount mount = server.mount("rsize=4096");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                SeekableByteChannel channel = file.channel()) {
            file.write(ByteBuffer.wrap(old), 0);
            ByteBuffer read = ByteBuffer.allocate(100);
            channel.read(read);
            server.content[100] = 'N'; // by another client
            file.tryLock(0, 1000, true).orElseThrow().close();
            channel.read(read.clear());
            assertThat(read.get(0)).isEqualTo((byte) 'N');
            server.content[200] = 'M';
            mount.open("/file", Set.of(StandardOpenOption.READ), 0).close();
            channel.read(read.clear());
            assertThat(read.get(0)).isEqualTo((byte) 'M');
        }
    }

    @Test
    void shouldReadNothingAheadWithNoac() throws IOException {
        byte[] old = new byte[100_000];
        Arrays.fill(old, (byte) 'o');
        try (NfsMount mount = server.mount("rsize=4096,noac");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                SeekableByteChannel channel = file.channel()) {
            file.write(ByteBuffer.wrap(old), 0);
            ByteBuffer read = ByteBuffer.allocate(100);
            channel.read(read);
            server.content[100] = 'N'; // by another client
            channel.read(read.clear());
            assertThat(read.get(0)).isEqualTo((byte) 'N');
            channel.write(text("at once"));
            assertThat(new String(server.content, 200, 7, StandardCharsets.US_ASCII))
                    .isEqualTo("at once");
        }
    }
}
