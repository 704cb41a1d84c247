package io.verbena.nfs.transfer.internal.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.runtime.SystemRuntime;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class BlockPumpTest {
    /** A future that is complete for callers without a timeout. Callers with a timeout always time out. */
    private static final class Slow<T> extends CompletableFuture<T> {
        @Override
        public T get(long timeout, TimeUnit unit) throws TimeoutException {
            throw new TimeoutException("not in " + timeout + " " + unit);
        }
    }

    /** A file of three octets. */
    private static final class Source implements BlockSource {
        @Override
        public long size() {
            return 3;
        }

        @Override
        public boolean isAsynchronous() {
            return true;
        }

        @Override
        public CompletableFuture<Integer> read(ByteBuffer destination, long position) {
            destination.put("abc".getBytes(StandardCharsets.US_ASCII));
            CompletableFuture<Integer> read = new Slow<>();
            read.complete(3);
            return read;
        }

        @Override
        public void close() {
            // There is nothing to release.
        }
    }

    private static final class Sink implements BlockSink {
        private final ByteBuffer content = ByteBuffer.allocate(3);

        @Override
        public boolean canHaveHoles() {
            return false;
        }

        @Override
        public boolean keepsWrites() {
            return false;
        }

        @Override
        public CompletableFuture<Void> write(ByteBuffer source, long position) {
            content.put(source);
            CompletableFuture<Void> written = new Slow<>();
            written.complete(null);
            return written;
        }

        @Override
        public void checkpoint() {
            // Every write is a checkpoint.
        }

        @Override
        public void finish(long size) {
            assertThat(size).isEqualTo(3);
        }

        @Override
        public void close() {
            // There is nothing to release.
        }
    }

    @Test
    void shouldLeaveItToTheMountHowLongACallMayTake() throws Exception {
        Sink sink = new Sink();
        BlockPump pump = new BlockPump(
                new SystemRuntime(),
                new Source(),
                sink,
                new BlockPump.Names("source", "sink"),
                FileRange.WHOLE,
                BlockObserver.NONE,
                false);

        assertThat(pump.run()).isEqualTo(3);

        assertThat(sink.content.array()).isEqualTo("abc".getBytes(StandardCharsets.US_ASCII));
    }
}
