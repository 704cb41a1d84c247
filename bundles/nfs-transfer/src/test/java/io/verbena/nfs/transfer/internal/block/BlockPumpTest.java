package io.verbena.nfs.transfer.internal.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.runtime.SystemRuntime;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
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

    /** A runtime without patience. A wait without a timeout is interrupted if it is not over at once. */
    private static final class Impatient extends SystemRuntime {
        private Runnable inTime = () -> {};

        @Override
        public <T> T await(Future<T> future, long timeoutNanos)
                throws InterruptedException, ExecutionException, TimeoutException {
            if (timeoutNanos != Long.MAX_VALUE) {
                inTime.run();
            }
            if (future.isDone()) {
                return future.get();
            } else if (timeoutNanos == Long.MAX_VALUE) {
                throw new InterruptedException();
            }
            throw new TimeoutException();
        }
    }

    /** A file of a server that answers the first reads alone. */
    private static final class SilentSource implements BlockSource {
        private final MemoryShare share = new DirectMemory().share("mount");
        private final List<CompletableFuture<Integer>> reads = new ArrayList<>();
        private final int answers;

        SilentSource(int answers) {
            this.answers = answers;
        }

        @Override
        public long size() {
            return 20 * BlockPump.BLOCK_SIZE;
        }

        @Override
        public Optional<MemoryShare> memory() {
            return Optional.of(share);
        }

        @Override
        public boolean isAsynchronous() {
            return true;
        }

        @Override
        public CompletableFuture<Integer> read(ByteBuffer destination, long position) {
            CompletableFuture<Integer> read = new CompletableFuture<>();
            if (reads.size() < answers) {
                int count = destination.remaining();
                destination.position(destination.limit());
                read.complete(count);
            }
            reads.add(read);
            return read;
        }

        @Override
        public void close() {
            // There is nothing to release.
        }
    }

    private static BlockPump pump(SilentSource source, SystemRuntime runtime) {
        return new BlockPump(
                runtime,
                source,
                new Sink(), // is full after three octets
                new BlockPump.Names("source", "sink"),
                FileRange.WHOLE,
                BlockObserver.NONE,
                false);
    }

    @Test
    void shouldGiveUpTheReadsOfASilentServerWhereTheSinkFails() {
        SilentSource source = new SilentSource(1);

        assertThatThrownBy(() -> pump(source, new Impatient()).run()).isInstanceOf(BufferOverflowException.class);

        assertThat(source.reads).hasSizeGreaterThan(2);
        assertThat(source.reads.subList(1, source.reads.size())).allMatch(CompletableFuture::isCancelled);
        assertThat(source.share.leasedBytes()).isZero();
    }

    @Test
    void shouldGiveUpTheReadsOfASilentServerAtAnInterrupt() {
        SilentSource source = new SilentSource(0);

        assertThatThrownBy(() -> pump(source, new Impatient()).run()).isInstanceOf(InterruptedException.class);

        assertThat(source.reads).hasSizeGreaterThan(2).allMatch(CompletableFuture::isCancelled);
        assertThat(source.share.leasedBytes()).isZero();
    }

    @Test
    void shouldNotGiveUpReadsThatTheServerAnswersSoon() {
        SilentSource source = new SilentSource(0);
        Impatient runtime = new Impatient();
        runtime.inTime = () -> source.reads.forEach(read -> read.complete(1));

        assertThatThrownBy(() -> pump(source, runtime).run()).isInstanceOf(InterruptedException.class);

        assertThat(source.reads).hasSizeGreaterThan(2).noneMatch(CompletableFuture::isCancelled);
        assertThat(source.share.leasedBytes()).isZero();
    }
}
