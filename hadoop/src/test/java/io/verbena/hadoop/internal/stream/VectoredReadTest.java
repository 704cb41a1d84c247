package io.verbena.hadoop.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.RemoteFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VectoredReadTest {
    /** A read that cannot be continued, and that ends after it was cancelled when the test says. */
    private static final class Read extends CompletableFuture<Integer> {
        private boolean isGivenUp;

        @Override
        public <U> CompletableFuture<U> handleAsync(BiFunction<? super Integer, Throwable, ? extends U> action) {
            throw new OutOfMemoryError("none left");
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            isGivenUp = true;
            return true;
        }
    }

    private final FileSystem.Statistics statistics = new FileSystem.Statistics("nfs+rdma");
    private final Queue<ByteBuffer> released = new ConcurrentLinkedQueue<>();
    private volatile Runnable onRelease = () -> {};

    private static FakeFile reading(CompletableFuture<Integer> read) {
        return new FakeFile() {
            @Override
            public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
                return read;
            }
        };
    }

    private void begin(RemoteFile file, FileRange... ranges) throws IOException {
        StreamFigures figures = new StreamFigures(
                statistics,
                source -> true,
                "stream_read_vectored_operations",
                "stream_read_vectored_incoming_ranges",
                "stream_read_exceptions",
                "stream_read_bytes");
        new VectoredRead(file, new Path("/file"), figures, ByteBuffer::allocate, this::release).begin(List.of(ranges));
    }

    private void release(ByteBuffer buffer) {
        boolean unused = released.add(buffer);
        onRelease.run();
    }

    /** The reader gives the range up, and the server answers the read all the same. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReleaseTheBufferOfARangeThatItsReaderHasGivenUp(boolean isCancelled) throws Exception {
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        CompletableFuture<Integer> read = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return cancelled.complete(null);
            }
        };
        CompletableFuture<Void> free = new CompletableFuture<>();
        FileRange range = FileRange.createFileRange(0, 10);
        begin(reading(read), range);
        if (isCancelled) {
            assertThat(range.getData().cancel(false)).isTrue();
        } else {
            assertThat(range.getData().completeExceptionally(new TimeoutException()))
                    .isTrue();
        }
        assertThat(cancelled.isDone()).isEqualTo(isCancelled);
        assertThat(released).isEmpty();
        onRelease = () -> free.complete(null);
        assertThat(read.complete(10)).isTrue();
        Void unused = free.get(30, TimeUnit.SECONDS);
        assertThat(released).hasSize(1);
    }

    /** Spark tells what a task has read by the statistics of its thread. */
    @Test
    void shouldCountForTheThreadThatReads() throws Exception {
        begin(reading(new CompletableFuture<>()), FileRange.createFileRange(20, 5), FileRange.createFileRange(0, 10));

        assertThat(statistics.getThreadStatistics().getBytesRead()).isEqualTo(15);
    }

    @Test
    void shouldRefuseRangesThatOverlapOrBeginBeforeTheFile() {
        FakeFile file = new FakeFile();
        assertThatThrownBy(() -> begin(file, FileRange.createFileRange(9, 1), FileRange.createFileRange(0, 10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlaps");
        assertThatThrownBy(() -> begin(file, FileRange.createFileRange(0, -1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> begin(file, FileRange.createFileRange(-1, 1))).isInstanceOf(EOFException.class);
    }

    @Test
    void shouldKeepTheBufferOfAReadUnderWayUntilItHasEnded() throws Exception {
        Read read = new Read();
        FileRange range = FileRange.createFileRange(0, 10);

        begin(reading(read), range);

        assertThat(read.isGivenUp).isTrue();
        assertThat(range.getData()).isNotDone();
        assertThat(released).isEmpty();
        read.complete(10);
        assertThat(released).hasSize(1);
        assertThatThrownBy(() -> range.getData().join()).hasStackTraceContaining("none left");
    }
}
