package io.verbena.hadoop.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

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

    @Test
    void shouldKeepTheBufferOfAReadUnderWayUntilItHasEnded() throws Exception {
        Read read = new Read();
        FakeFile file = new FakeFile() {
            @Override
            public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
                return read;
            }
        };
        List<ByteBuffer> released = new ArrayList<>();
        FileRange range = FileRange.createFileRange(0, 10);
        StreamFigures figures = new StreamFigures(
                null,
                source -> true,
                "stream_read_vectored_operations",
                "stream_read_vectored_incoming_ranges",
                "stream_read_exceptions");

        new VectoredRead(file, new Path("/file"), figures, ByteBuffer::allocate, released::add).begin(List.of(range));

        assertThat(read.isGivenUp).isTrue();
        assertThat(range.getData()).isNotDone();
        assertThat(released).isEmpty();
        read.complete(10);
        assertThat(released).hasSize(1);
        assertThatThrownBy(() -> range.getData().join()).hasStackTraceContaining("none left");
    }
}
