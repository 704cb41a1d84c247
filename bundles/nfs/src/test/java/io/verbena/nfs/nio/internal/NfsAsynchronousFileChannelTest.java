package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An asynchronous channel keeps nothing of what it writes, and says so where that is lost. */
@Timeout(60)
class NfsAsynchronousFileChannelTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void end() throws IOException {
        server.release();
        server.close();
    }

    private AsynchronousFileChannel open() throws IOException {
        return AsynchronousFileChannel.open(server.path(), READ, WRITE);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static int get(Future<Integer> result) throws Exception {
        return result.get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldFailForGoodWhereWhatWasWrittenIsLost() throws Exception {
        AsynchronousFileChannel channel = open();
        assertThat(get(channel.write(bytes("one"), 0))).isEqualTo(3);
        server.replace(false);
        assertThatThrownBy(() -> get(channel.read(ByteBuffer.allocate(3), 0)))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("may be lost");
        assertThatThrownBy(() -> channel.force(true)).hasMessageContaining("may be lost");
        assertThatThrownBy(channel::size).hasMessageContaining("may be lost");
        assertThatThrownBy(channel::close).isInstanceOf(IOException.class);
    }

    @Test
    void shouldDeleteOnCloseThoughTheCloseFails() throws Exception {
        AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), WRITE, DELETE_ON_CLOSE);
        assertThat(get(channel.write(bytes("one"), 0))).isEqualTo(3);
        server.replace(false);
        assertThatThrownBy(channel::close).isInstanceOf(IOException.class);
        assertThat(server.isRemoved()).isTrue();
    }

    @Test
    void shouldGoOnWhereAllWasForced() throws Exception {
        try (AsynchronousFileChannel channel = open()) {
            assertThat(get(channel.write(bytes("one"), 0))).isEqualTo(3);
            channel.force(true);
            server.replace(false);
            assertThat(get(channel.write(bytes("two"), 3))).isEqualTo(3);
        }
        assertThat(server.content()).isEqualTo("onetwo");
    }

    @Test
    void shouldNotTakeForForcedWhatIsAnsweredMeanwhile() throws Exception {
        AsynchronousFileChannel channel = open();
        assertThat(get(channel.write(bytes("one"), 0))).isEqualTo(3);
        server.hold();
        Future<Integer> late = channel.write(bytes("two"), 3);
        server.duringSync = server::release;
        channel.force(true);
        assertThat(get(late)).isEqualTo(3);
        server.replace(false);
        assertThatThrownBy(channel::size).hasMessageContaining("may be lost");
        assertThatThrownBy(channel::close).isInstanceOf(IOException.class);
    }

    @Test
    void shouldKeepTheBufferOfACancelledReadUntilTheMountHasDoneWithIt() throws Exception {
        try (AsynchronousFileChannel channel = open()) {
            CompletableFuture<Boolean> asked = new CompletableFuture<>();
            server.reads = new CompletableFuture<>() {
                @Override
                public boolean cancel(boolean mayInterruptIfRunning) {
                    return asked.complete(true);
                }
            };
            Future<Integer> read = channel.read(ByteBuffer.allocate(3), 0);
            assertThat(read.cancel(true)).isTrue();
            assertThat(asked).isCompletedWithValue(true);
            assertThat(read.isDone()).isFalse();
            server.reads.completeExceptionally(new CancellationException());
            assertThat(read.isCancelled()).isTrue();
        }
    }

    @Test
    void shouldPassTheCancelOfAWriteOn() throws Exception {
        try (AsynchronousFileChannel channel = open()) {
            server.hold();
            ByteBuffer source = bytes("one");
            Future<Integer> written = channel.write(source, 0);
            assertThat(written.cancel(true)).isTrue();
            server.replace(true);
            assertThatThrownBy(() -> get(written)).isInstanceOf(CancellationException.class);
        }
        assertThat(server.content()).isEmpty();
    }

    @Test
    void shouldWriteAgainWhatWasUnderWay() throws Exception {
        try (AsynchronousFileChannel channel = open()) {
            server.hold();
            Future<Integer> written = channel.write(bytes("one"), 0);
            server.replace(true);
            assertThat(get(written)).isEqualTo(3);
        }
        assertThat(server.content()).isEqualTo("one");
    }

    @Test
    void shouldWriteNothingAgainOnceItIsClosed() throws Exception {
        AsynchronousFileChannel channel = open();
        server.hold();
        Future<Integer> written = channel.write(bytes("one"), 0);
        server.beforeOpenIsAnswered = () -> {
            try {
                channel.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        };
        server.replace(true);
        assertThatThrownBy(() -> get(written)).hasCauseInstanceOf(AsynchronousCloseException.class);
        assertThat(server.content()).isEmpty();
        assertThat(server.open).isEmpty();
    }

    @Test
    void shouldKeepTheOrderOfWritesThatAreWrittenAgain() throws Exception {
        try (AsynchronousFileChannel channel = open()) {
            for (int round = 0; round < 50; round++) {
                server.hold();
                Future<Integer> first = channel.write(bytes("aaaa"), 0);
                Future<Integer> second = channel.write(bytes("bb"), 1);
                server.replace(true);
                Future<Integer> third = channel.write(bytes("c"), 2);
                assertThat(get(first) + get(second) + get(third)).isEqualTo(7);
                assertThat(server.content()).isEqualTo("abca");
                channel.force(true);
            }
        }
    }

    @Test
    void shouldLeaveToAnotherChannelWhatCouldNotBeTruncated() throws Exception {
        SeekableByteChannel out = Files.newByteChannel(server.path(), WRITE);
        int unused = out.write(bytes("aaaa"));
        try (AsynchronousFileChannel channel = open()) {
            server.refuse(new IOException("not now"));
            assertThatThrownBy(() -> channel.truncate(2)).hasMessageContaining("not now");
            server.refuse(null);
        }
        server.replace(false);
        out.close();
        assertThat(server.content()).isEqualTo("aaaa");
    }

    @Test
    void shouldLeaveToAnotherChannelWhatCouldNotBeWrittenOver() throws Exception {
        SeekableByteChannel out = Files.newByteChannel(server.path(), WRITE);
        int unused = out.write(bytes("aaaa"));
        AsynchronousFileChannel channel = open();
        server.refuse(new IOException("no space left"));
        assertThatThrownBy(() -> get(channel.write(bytes("bb"), 0))).hasMessageContaining("no space left");
        server.refuse(null);
        assertThatThrownBy(channel::close).hasMessageContaining("no space left");
        server.replace(false);
        out.close();
        assertThat(server.content()).isEqualTo("aaaa");
    }

    /** What is written over another channel's octets, while that one goes on to write there. */
    @Test
    void shouldNotTakeAwayWhatAnotherChannelWroteMeanwhile() throws Exception {
        SeekableByteChannel out = Files.newByteChannel(server.path(), WRITE);
        int unused = out.write(bytes("aaaa"));
        AsynchronousFileChannel channel = open();
        server.hold();
        Future<Integer> over = channel.write(bytes("bb"), 0);
        int behind = out.position(0).write(bytes("c"));
        server.release();
        assertThat(get(over) + behind).isEqualTo(3);
        server.replace(false);
        out.close();
        assertThat(server.content()).isEqualTo("c\0aa");
        assertThatThrownBy(channel::close).hasMessageContaining("stable storage");
    }

    @Test
    void shouldEndAWriteThatNoExecutorTakes() throws Exception {
        ExecutorService handlers = Executors.newSingleThreadExecutor();
        AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), Set.of(WRITE), handlers);
        server.hold();
        Future<Integer> first = channel.write(bytes("one"), 0);
        handlers.shutdown();
        server.replace(true);
        assertThat(get(first)).isEqualTo(3);
        assertThat(get(channel.write(bytes("two"), 3))).isEqualTo(3);
        channel.close();
        assertThat(server.content()).isEqualTo("onetwo");
    }

    @Test
    void shouldGiveUpTheRangeOfALockThatItIsClosedBefore() throws Exception {
        ExecutorService handlers = Executors.newSingleThreadExecutor();
        CountDownLatch busy = new CountDownLatch(1);
        try (AsynchronousFileChannel other = open()) {
            AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), Set.of(WRITE), handlers);
            Future<?> unused = handlers.submit(() -> {
                busy.await();
                return null;
            });
            Future<FileLock> asked = channel.lock(0, 10, false);
            channel.close();
            busy.countDown();
            assertThatThrownBy(() -> asked.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(other.tryLock(0, 10, false)).isNotNull();
        } finally {
            busy.countDown();
            handlers.shutdownNow();
        }
    }

    @Test
    void shouldGiveUpTheRangeOfALockThatNoExecutorTakes() throws Exception {
        ExecutorService handlers = Executors.newSingleThreadExecutor();
        try (AsynchronousFileChannel other = open();
                AsynchronousFileChannel channel =
                        AsynchronousFileChannel.open(server.path(), Set.of(WRITE), handlers)) {
            handlers.shutdown();
            assertThatThrownBy(() -> channel.lock(0, 10, false)).isInstanceOf(RejectedExecutionException.class);
            assertThat(other.tryLock(0, 10, false)).isNotNull();
        }
    }

    /** What an executor was given, and never does. */
    @Test
    void shouldGiveUpTheRangeOfALockThatWasNeverAskedForOnceItIsClosed() throws Exception {
        ExecutorService handlers = Executors.newSingleThreadExecutor();
        CountDownLatch busy = new CountDownLatch(1);
        try (AsynchronousFileChannel other = open()) {
            AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), Set.of(WRITE), handlers);
            Future<?> unused = handlers.submit(() -> {
                busy.await();
                return null;
            });
            Future<FileLock> asked = channel.lock(0, 10, false);
            assertThat(handlers.shutdownNow()).isNotEmpty();
            channel.close();
            assertThat(asked).isNotDone();
            assertThat(other.tryLock(0, 10, false)).isNotNull();
        } finally {
            handlers.shutdownNow();
        }
    }

    @Test
    void shouldGiveBackALockThatNobodyWaitsFor() throws Exception {
        ExecutorService handlers = Executors.newSingleThreadExecutor();
        try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), Set.of(WRITE), handlers)) {
            CompletableFuture<Future<FileLock>> asked = new CompletableFuture<>();
            server.beforeLock = () -> asked.join().cancel(false);
            asked.complete(channel.lock(0, 10, false));
            handlers.submit(() -> {}).get(30, TimeUnit.SECONDS);
            assertThat(asked.join()).isCancelled();
            assertThat(server.locks).isEmpty();
            assertThat(channel.tryLock(0, 10, false)).isNotNull();
        } finally {
            handlers.shutdownNow();
        }
    }

    @Test
    void shouldWriteAfterWhatAnotherChannelWroteThere() throws Exception {
        SeekableByteChannel out = Files.newByteChannel(server.path(), WRITE);
        int unused = out.write(bytes("aaaa"));
        try (AsynchronousFileChannel channel = open()) {
            assertThat(get(channel.write(bytes("bb"), 0))).isEqualTo(2);
            channel.force(true);
            server.replace(false);
        }
        out.close();
        assertThat(server.content()).isEqualTo("bbaa");
    }

    /** Runs tasks on the thread that hands them over, or refuses them. */
    private static final class CallerRuns extends AbstractExecutorService {
        private volatile boolean refuses;

        @Override
        public void execute(Runnable task) {
            if (refuses) {
                throw new RejectedExecutionException("refused");
            }
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }

    /** Notes how it is called, and does something then. */
    private static final class Noting<T> implements CompletionHandler<T, String> {
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private final Runnable action;

        Noting(Runnable action) {
            this.action = action;
        }

        @Override
        public void completed(T result, String attachment) {
            calls.add(attachment + " is completed: " + result);
            action.run();
        }

        @Override
        public void failed(Throwable thrown, String attachment) {
            calls.add(attachment + " has failed: " + thrown);
            action.run();
        }
    }

    @Test
    void shouldCallAHandlerThatThrowsOnce() throws Exception {
        Set<Throwable> uncaught = ConcurrentHashMap.newKeySet();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        IllegalStateException thrown = new IllegalStateException("of the handler");
        Noting<Integer> handler = new Noting<>(() -> {
            throw thrown;
        });
        try (AsynchronousFileChannel channel =
                AsynchronousFileChannel.open(server.path(), Set.of(WRITE), new CallerRuns())) {
            channel.write(bytes("one"), 0, "write", handler);
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
        assertThat(handler.calls).containsExactly("write is completed: 3");
        assertThat(uncaught).containsExactly(thrown);
    }

    @Test
    void shouldTellTheOutcomeThoughTheExecutorRefusesTheHandler() throws Exception {
        CallerRuns executor = new CallerRuns();
        Noting<Integer> handler = new Noting<>(() -> {});
        AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), Set.of(WRITE), executor);
        executor.refuses = true;
        channel.write(bytes("one"), 0, "write", handler);
        server.refuse(new IOException("no space left"));
        channel.write(bytes("two"), 3, "further write", handler);
        assertThatThrownBy(channel::close).hasMessage("no space left");
        assertThat(handler.calls)
                .containsExactly(
                        "write is completed: 3", "further write has failed: java.io.IOException: no space left");
    }

    /** A handler on the thread of the channel may wait for another thread that writes to the channel. */
    @Test
    void shouldCallHandlersWithoutALockWhereWritesAreSentAgain() throws Exception {
        AsynchronousFileChannel channel =
                AsynchronousFileChannel.open(server.path(), Set.of(READ, WRITE), new CallerRuns());
        CompletableFuture<Integer> further = new CompletableFuture<>();
        Noting<Integer> handler = new Noting<>(() -> {
            try {
                further.complete(
                        CompletableFuture.supplyAsync(() -> writeTwo(channel)).get(20, TimeUnit.SECONDS));
            } catch (Throwable e) {
                further.completeExceptionally(e);
            }
        });
        server.hold();
        channel.write(bytes("one"), 0, "write", handler);
        server.replace(true);
        assertThat(get(further)).isEqualTo(3);
        assertThat(handler.calls).containsExactly("write is completed: 3");
        channel.close();
        assertThat(server.content()).isEqualTo("onetwo");
    }

    private static Integer writeTwo(AsynchronousFileChannel channel) {
        try {
            return get(channel.write(bytes("two"), 3));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
