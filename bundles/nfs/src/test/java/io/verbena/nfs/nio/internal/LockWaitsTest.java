package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.WRITE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.nio.internal.directory.NfsWatchKey;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that waits for another one, which waits for the server, ends by an interrupt and by a close. */
@Timeout(60)
class LockWaitsTest {
    private final FakeServer server = new FakeServer();
    private final List<FileChannel> channels = new ArrayList<>();
    private final CountDownLatch answers = new CountDownLatch(1);

    @AfterEach
    void end() throws IOException {
        answers.countDown();
        server.release(); // first: a call that waits ends by it
        for (FileChannel channel : channels) {
            channel.close();
        }
        server.close();
    }

    private FileChannel writer() throws IOException {
        FileChannel channel = FileChannel.open(server.path(), WRITE);
        channels.add(channel);
        return channel;
    }

    private static void write(FileChannel channel, String text) throws IOException {
        int unused = channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Has the lost write of a channel written again, which the server does not answer. */
    private WaitingCall rewrite(FileChannel channel) throws IOException {
        write(channel, "aaaa");
        server.replace(false);
        server.hold();
        return WaitingCall.begin(channel::size);
    }

    private void awaitAnswers() {
        try {
            answers.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldEndAWaitForTheOrderOfWritesByAnInterrupt() throws Exception {
        FileChannel second = writer();
        WaitingCall rewrites = rewrite(writer());
        WaitingCall waits = WaitingCall.begin(() -> write(second, "b"));
        assertThat(waits.interrupt().outcome()).isInstanceOf(ClosedByInterruptException.class);
        assertThat(second.isOpen()).isFalse();
        server.release();
        assertThat(rewrites.outcome()).isNull();
        assertThat(server.content()).isEqualTo("aaaa");
    }

    @Test
    void shouldEndAWaitForTheOrderOfWritesByAClose() throws Exception {
        FileChannel second = writer();
        WaitingCall rewrites = rewrite(writer());
        WaitingCall waits = WaitingCall.begin(() -> write(second, "b"));
        WaitingCall closes = WaitingCall.begin(second::close);
        assertThat(waits.outcome()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(rewrites.hasEnded()).isFalse();
        server.release();
        assertThat(rewrites.outcome()).isNull();
        assertThat(closes.outcome()).isNull();
        assertThat(server.content()).isEqualTo("aaaa");
    }

    @Test
    void shouldEndACloseByAnInterruptThoughAnotherChannelWrites() throws Exception {
        FileChannel second = writer();
        WaitingCall rewrites = rewrite(writer());
        WaitingCall closes = WaitingCall.begin(second::close);
        assertThat(closes.interrupt().outcome()).isInstanceOf(InterruptedIOException.class);
        assertThat(rewrites.hasEnded()).isFalse();
        server.release();
        assertThat(rewrites.outcome()).isNull();
    }

    @Test
    void shouldEndAWaitForThePositionByAnInterrupt() throws Exception {
        FileChannel channel = writer();
        server.hold();
        WaitingCall writes = WaitingCall.begin(() -> write(channel, "a"));
        WaitingCall waits = WaitingCall.begin(channel::position);
        assertThat(waits.interrupt().outcome()).isInstanceOf(ClosedByInterruptException.class);
        assertThat(writes.hasEnded()).isFalse();
    }

    @Test
    void shouldEndAWaitForThePositionByAClose() throws Exception {
        FileChannel channel = writer();
        server.hold();
        WaitingCall writes = WaitingCall.begin(() -> write(channel, "a"));
        WaitingCall waits = WaitingCall.begin(channel::position);
        channel.close();
        assertThat(waits.outcome()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(writes.hasEnded()).isFalse();
    }

    @Test
    void shouldEndACallByAnInterruptThoughAnotherThreadClosesTheChannel() throws Exception {
        FileChannel channel = writer();
        server.hold();
        WaitingCall writes = WaitingCall.begin(() -> write(channel, "a"));
        server.duringSync = this::awaitAnswers;
        WaitingCall closes = WaitingCall.begin(channel::close);
        assertThat(writes.interrupt().outcome()).isInstanceOf(ClosedByInterruptException.class);
        assertThat(closes.hasEnded()).isFalse();
        answers.countDown();
        assertThat(closes.outcome()).isNull();
    }

    @Test
    void shouldEndAWaitForTheListingOfAWatchedDirectoryByAnInterrupt() throws Exception {
        Path root = server.files.root();
        try (WatchService watch = server.files.newWatchService()) {
            NfsWatchKey key = (NfsWatchKey) root.register(watch, ENTRY_CREATE);
            server.directory.beforeListing = this::awaitAnswers;
            WaitingCall looks = WaitingCall.begin(key::look);
            WaitingCall waits = WaitingCall.begin(() -> root.register(watch, ENTRY_CREATE, ENTRY_DELETE));
            assertThat(waits.interrupt().outcome()).isInstanceOf(InterruptedIOException.class);
            answers.countDown();
            assertThat(looks.outcome()).isNull();
        }
    }
}
