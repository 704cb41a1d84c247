package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is written behind is there for who reads, comes in its order, and is not lost without a word. */
@Timeout(60)
class FileWritesTest {
    /** The states of a thread that waits for a lock, and of one that waits for an answer. */
    private static final Set<Thread.State> WAITING = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void end() throws IOException {
        server.refuse(null);
        server.release();
        server.close();
    }

    private SeekableByteChannel writer() throws IOException {
        return Files.newByteChannel(server.path(), WRITE);
    }

    private static void write(SeekableByteChannel channel, long position, String text) throws IOException {
        int unused = channel.position(position).write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        int unused = channel.read(buffer, 0);
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
    }

    @Test
    void shouldReadWhatIsOnItsWay() throws Exception {
        try (SeekableByteChannel out = writer();
                FileChannel in = FileChannel.open(server.path(), READ)) {
            server.hold();
            write(out, 0, "one");
            write(out, 3, "two");
            CompletableFuture<String> seen = new CompletableFuture<>();
            startToRead(in, seen);
            server.release();
            assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("onetwo");
        }
    }

    @Test
    void shouldNotWaitForWhatAnotherChannelWritesElsewhere() throws Exception {
        try (SeekableByteChannel first = writer();
                SeekableByteChannel second = writer();
                FileChannel in = FileChannel.open(server.path(), READ)) {
            server.hold();
            write(first, 0, "one");
            CompletableFuture<String> seen = new CompletableFuture<>();
            startToRead(in, seen); // for the first channel's, which is not answered
            write(second, 3, "two");
            server.release();
            assertThat(seen.get(30, TimeUnit.SECONDS)).startsWith("one");
        }
        assertThat(server.content()).isEqualTo("onetwo");
    }

    /** Returns when the reader waits. */
    private static void startToRead(FileChannel in, CompletableFuture<String> seen) {
        Thread reader = new Thread(() -> {
            try {
                seen.complete(read(in));
            } catch (IOException e) {
                seen.completeExceptionally(e);
            }
        });
        reader.start();
        awaitWaiting(reader);
    }

    private static void awaitWaiting(Thread thread) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!WAITING.contains(thread.getState()) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(thread.getState()).isIn(WAITING);
    }

    @Test
    void shouldTellTheWriterAndNoReaderWhatFailed() throws IOException {
        SeekableByteChannel out = writer();
        try (FileChannel in = FileChannel.open(server.path(), READ)) {
            server.hold();
            write(out, 0, "one");
            server.refuse(new IOException("no space left"));
            server.release();
            assertThat(read(in)).isEmpty();
        }
        assertThatThrownBy(out::close).hasMessageContaining("no space left");
    }

    @Test
    void shouldTellAFailureOnceAndGoOn() throws IOException {
        SeekableByteChannel out = writer();
        server.hold();
        write(out, 0, "one");
        server.refuse(new IOException("no space left"));
        server.release();
        server.refuse(null);
        assertThatThrownBy(() -> write(out, 3, "two")).hasMessageContaining("no space left");
        write(out, 0, "ONE");
        out.close();
        assertThat(server.content()).isEqualTo("ONEtwo");
    }

    @Test
    void shouldWriteAgainInTheOrderOfTheWrites() throws IOException {
        try (SeekableByteChannel out = writer()) {
            write(out, 0, "aaaa");
            write(out, 1, "bb");
            server.replace(false);
            assertThat(out.size()).isEqualTo(4); // the file is opened again, and has what was lost
            write(out, 3, "c");
            write(out, 2, "d");
        }
        assertThat(server.content()).isEqualTo("abdc");
    }

    @Test
    void shouldNotWriteAgainOverWhatAnotherChannelWroteLater() throws IOException {
        SeekableByteChannel first = writer();
        SeekableByteChannel second = writer();
        write(first, 0, "aaaa");
        write(second, 0, "bb");
        server.replace(false);
        second.close();
        first.close();
        assertThat(server.content()).isEqualTo("bbaa");
    }

    @Test
    void shouldNotWriteAgainOverWhatAnotherChannelHasForced() throws IOException {
        SeekableByteChannel first = writer();
        write(first, 0, "aaaa");
        try (FileChannel second = FileChannel.open(server.path(), WRITE)) {
            write(second, 1, "bb");
            second.force(true);
            server.replace(false);
        }
        first.close();
        assertThat(server.content()).isEqualTo("abba");
    }

    @Test
    void shouldNotWriteAgainWhatAnotherChannelTruncatedAsItWasOpened() throws IOException {
        SeekableByteChannel first = writer();
        write(first, 0, "aaaa");
        try (SeekableByteChannel second = Files.newByteChannel(server.path(), WRITE, TRUNCATE_EXISTING)) {
            write(second, 0, "b");
            write(first, 2, "c");
        }
        server.replace(false);
        assertThat(first.size()).isEqualTo(3);
        first.close();
        assertThat(server.content()).isEqualTo("b\0c");
    }

    /** The file is still open on the mount that is gone. */
    @Test
    void shouldLoseNoWriteThoughAnotherCallHasFoundTheNextMount() throws IOException {
        SeekableByteChannel out = writer();
        findNextMount();
        write(out, 0, "one");
        out.close();
        assertThat(server.content()).isEqualTo("one");
    }

    @Test
    void shouldWriteThroughThoughAnotherCallHasFoundTheNextMount() throws IOException {
        try (FileChannel out = FileChannel.open(server.path(), WRITE)) {
            findNextMount();
            write(out, 0, "one");
        }
        assertThat(server.content()).isEqualTo("one");
    }

    @Test
    void shouldAppendThoughAnotherCallHasFoundTheNextMount() throws IOException {
        try (SeekableByteChannel out = Files.newByteChannel(server.path(), APPEND)) {
            findNextMount();
            append(out, "one");
        }
        assertThat(server.content()).isEqualTo("one");
    }

    @Test
    void shouldLoseNoWriteThoughTheWritesOfAnotherChannelAreOnTheNextMount() throws IOException {
        SeekableByteChannel first = writer();
        SeekableByteChannel second = writer();
        write(first, 0, "one");
        server.replace(false);
        assertThat(first.size()).isEqualTo(3);
        write(second, 3, "two");
        second.close();
        first.close();
        assertThat(server.content()).isEqualTo("onetwo");
    }

    private void findNextMount() {
        server.replace(true);
        assertThat(Files.exists(server.path())).isTrue();
    }

    @Test
    void shouldNotWriteAgainBehindWhereAnotherChannelTruncated() throws IOException {
        SeekableByteChannel first = writer();
        write(first, 0, "aaaa");
        try (FileChannel second = FileChannel.open(server.path(), WRITE)) {
            second.truncate(2);
            second.force(true);
        }
        server.replace(false);
        first.close();
        assertThat(server.content()).isEqualTo("aa");
    }

    @Test
    void shouldKeepWhatAnotherChannelCouldNotTruncate() throws IOException {
        SeekableByteChannel first = writer();
        write(first, 0, "aaaa");
        try (FileChannel second = FileChannel.open(server.path(), WRITE)) {
            server.refuse(new IOException("not now"));
            assertThatThrownBy(() -> second.truncate(2)).hasMessageContaining("not now");
            server.refuse(null);
        }
        server.replace(false);
        first.close();
        assertThat(server.content()).isEqualTo("aaaa");
    }

    @Test
    void shouldLoseNothingWhereAReaderStopsWaiting() throws Exception {
        SeekableByteChannel out = writer();
        server.hold();
        write(out, 0, "one");
        write(out, 3, "two");
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        try (FileChannel in = FileChannel.open(server.path(), READ)) {
            Thread reader = new Thread(() -> {
                try {
                    told.complete(new AssertionError(in.read(new ByteBuffer[] {ByteBuffer.allocate(100)})));
                } catch (IOException e) {
                    told.complete(Thread.currentThread().isInterrupted() ? e : new AssertionError(e));
                }
            });
            reader.start();
            awaitWaiting(reader);
            reader.interrupt();
            assertThat(told.get(30, TimeUnit.SECONDS)).isInstanceOf(ClosedByInterruptException.class);
        }
        server.release();
        write(out, 6, "three");
        out.close();
        assertThat(server.content()).isEqualTo("onetwothree");
    }

    @Test
    void shouldWriteAgainWhatWasUnderWayAndWhatWasNot() throws IOException {
        SeekableByteChannel out = writer();
        write(out, 0, "one");
        server.hold();
        write(out, 3, "two");
        write(out, 6, "three");
        server.replace(false);
        out.close();
        assertThat(server.content()).isEqualTo("onetwothree");
    }

    @Test
    void shouldWriteAgainForAllChannelsBeforeAnyWritesOn() throws IOException {
        SeekableByteChannel idle = writer();
        write(idle, 0, "aaaa");
        server.replace(false);
        try (SeekableByteChannel other = writer()) {
            write(other, 1, "bb");
        }
        assertThat(server.content()).isEqualTo("abba");
        idle.close();
        assertThat(server.content()).isEqualTo("abba");
    }

    @Test
    void shouldAppendAgainWhereTheRecordWasPlaced() throws IOException {
        SeekableByteChannel first = Files.newByteChannel(server.path(), APPEND);
        SeekableByteChannel second = Files.newByteChannel(server.path(), APPEND);
        append(first, "one");
        append(second, "two");
        append(first, "three");
        server.replace(false);
        append(second, "four");
        assertThat(second.position()).isEqualTo(15);
        second.close();
        first.close();
        assertThat(server.content()).isEqualTo("onetwothreefour");
    }

    @Test
    void shouldAppendOnceWhereTheMountIsReplacedMeanwhile() throws Exception {
        try (SeekableByteChannel out = Files.newByteChannel(server.path(), APPEND)) {
            append(out, "one");
            server.hold();
            CompletableFuture<Void> appended = new CompletableFuture<>();
            Thread writer = new Thread(() -> {
                try {
                    append(out, "two");
                    appended.complete(null);
                } catch (IOException e) {
                    appended.completeExceptionally(e);
                }
            });
            writer.start();
            awaitWaiting(writer);
            server.replace(true);
            appended.get(30, TimeUnit.SECONDS);
            append(out, "three");
        }
        assertThat(server.content()).isEqualTo("onetwothree");
    }

    private static void append(SeekableByteChannel channel, String text) throws IOException {
        int unused = channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void shouldNotKeepMoreMemoryThanItMayHoweverLittleIsInIt() throws IOException {
        try (SeekableByteChannel out = writer()) {
            for (int i = 0; i < 2_100; i++) {
                write(out, i % 2 == 0 ? 0 : 2, "x");
            }
            assertThat(server.syncs()).isEqualTo(1);
        }
    }

    @Test
    void shouldLeaveBothPositionsWhereAWriteBeganThatFails() throws IOException {
        shouldWriteAgainFromTheSameBuffer(FileChannel.open(server.path(), WRITE), 500_000);
    }

    @Test
    void shouldLeaveBothPositionsWhereAWriteBehindBeganThatFails() throws IOException {
        shouldWriteAgainFromTheSameBuffer(writer(), 500_000);
    }

    @Test
    void shouldLeaveBothPositionsWhereAWriteWithoutCopiesBeganThatFails() throws IOException {
        try (FileSystem files = server.single()) {
            shouldWriteAgainFromTheSameBuffer(FileChannel.open(files.getPath("/f"), WRITE), 0);
        }
    }

    private void shouldWriteAgainFromTheSameBuffer(SeekableByteChannel out, long refusedFrom) throws IOException {
        String octets = "0123456789".repeat(100_000);
        ByteBuffer source = ByteBuffer.wrap(("xy" + octets).getBytes(StandardCharsets.US_ASCII));
        source.position(2);
        server.refuse(new IOException("no space left"), refusedFrom);
        assertThatThrownBy(() -> out.write(source)).hasMessageContaining("no space left");
        assertThat(source.position()).isEqualTo(2);
        assertThat(out.position()).isZero();
        server.refuse(null);
        while (source.hasRemaining()) {
            int unused = out.write(source);
        }
        assertThat(server.content()).isEqualTo(octets);
        try {
            out.close();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("no space left"); // a mount may tell it again
        }
    }

    /** The file of a mount that goes meanwhile cannot be closed either. */
    @Test
    void shouldTellOfTheFailureOfTheWritesWhereTheCloseFailsToo() throws Exception {
        SeekableByteChannel out = writer();
        write(out, 0, "one");
        server.duringSync = () -> {
            server.replace(false);
            throw new IllegalStateException("no sync");
        };
        assertThatThrownBy(out::close).hasMessage("no sync").satisfies(failure -> assertThat(failure.getSuppressed())
                .singleElement()
                .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .hasMessageContaining("could not be brought to stable storage"));
    }
}
