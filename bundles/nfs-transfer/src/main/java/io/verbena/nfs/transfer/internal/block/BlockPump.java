package io.verbena.nfs.transfer.internal.block;

import io.verbena.memory.BufferLease;
import io.verbena.nfs.transfer.internal.failure.FileChangedException;
import io.verbena.nfs.transfer.internal.failure.Futures;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.ZeroBlocks;
import io.verbena.nfs.transfer.walk.NamedFailures;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a range of one file in blocks, with several blocks in flight. If the source is asynchronous, the pump reads
 * several blocks ahead. The buffer of a block is reused when the write of the block is complete. If the sink supports
 * holes, blocks of zeros are not written.
 *
 * <p>A pump belongs to one thread. An interrupt stops it.
 */
public final class BlockPump {
    public static final int BLOCK_SIZE = 1 << 20;
    static final int DEPTH = 8;

    private static final Logger LOG = LoggerFactory.getLogger(BlockPump.class);

    /**
     * The largest number of blocks between two checkpoints. At most this number of blocks is written again when a
     * transfer continues with another connection to the file.
     */
    private static final int BLOCKS_PER_CHECKPOINT = 64;

    /**
     * The number of blocks until the first checkpoint after a transfer continues. The number doubles with each
     * checkpoint, because a connection that was replaced may soon be replaced again.
     */
    private static final int BLOCKS_UNTIL_FIRST_CHECKPOINT = 1;

    /**
     * The time for which a pump that fails waits for the reads that are in flight, before the pump gives the reads up.
     * A server that responds answers within this time. A read that is given up while the server answers can cost the
     * mount its connection.
     */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The names of source and sink that failures show. */
    public record Names(String source, String sink) {}

    /** A block that is being read. */
    private record Reading(BufferLease block, long position, int length, CompletableFuture<Integer> count) {}

    private final Runtime runtime;
    private final BlockSource source;
    private final BlockSink sink;
    private final Names names;
    private final FileRange stretch;
    private final BlockObserver flow;
    private final Deque<Reading> reading = new ArrayDeque<>(DEPTH);
    private final Deque<CompletableFuture<Void>> writing = new ArrayDeque<>(DEPTH);
    private BlockMemory memory;
    private long nextRead;
    private long end;
    private long safe;
    private int sinceCheckpoint;
    private int blocksPerCheckpoint;

    /**
     * Creates a pump.
     *
     * @param runtime waits for the blocks
     * @param names the names of source and sink that failures show
     * @param stretch the range to move, from its start
     * @param flow the observer of the blocks
     * @param isResumed whether an earlier pump for the same range was interrupted
     */
    public BlockPump(
            Runtime runtime,
            BlockSource source,
            BlockSink sink,
            Names names,
            FileRange stretch,
            BlockObserver flow,
            boolean isResumed) {
        this.runtime = runtime;
        this.source = source;
        this.sink = sink;
        this.names = names;
        this.stretch = stretch;
        this.flow = flow;
        this.nextRead = stretch.start();
        this.end = stretch.start();
        this.safe = stretch.start();
        this.blocksPerCheckpoint = isResumed ? BLOCKS_UNTIL_FIRST_CHECKPOINT : BLOCKS_PER_CHECKPOINT;
    }

    /** Returns the position up to which all octets are safe in the sink, whatever happened since. */
    public long safe() {
        return safe;
    }

    /**
     * Moves the range, and completes the file if the range is the last one.
     *
     * @return the position at which the range ends
     */
    public long run() throws IOException, InterruptedException {
        try {
            memory = BlockMemory.between(source, sink);
            if (source.size() < nextRead) {
                throw becameShorter(source.size());
            }
            boolean more = true;
            while (more) {
                startReads();
                more = !reading.isEmpty() && forward(reading.remove());
            }
            awaitWrites();
            if (stretch.end() != BlockSource.UNKNOWN_SIZE && end < stretch.end()) {
                throw becameShorter(end);
            }
            if (stretch.isLast()) {
                NamedFailures.run(names.sink(), () -> sink.finish(end));
            }
            return end;
        } finally {
            settle();
        }
    }

    private void startReads() throws IOException, InterruptedException {
        int ahead = source.isAsynchronous() ? DEPTH - 1 : 1;
        long until = Math.min(source.size(), stretch.end());
        while (nextRead < until && reading.size() < ahead) {
            int length = (int) Math.min(BLOCK_SIZE, until - nextRead);
            if (source.size() != BlockSource.UNKNOWN_SIZE) {
                flow.beforeRead(length);
            }
            BufferLease block = takeBlock(length);
            if (block == null) {
                return; // the blocks that are being read are forwarded first
            }
            startRead(block, length);
        }
    }

    private void startRead(BufferLease block, int length) throws IOException {
        long position = nextRead;
        boolean isStarted = false;
        try {
            CompletableFuture<Integer> count =
                    NamedFailures.get(names.source(), () -> source.read(block.buffer(), position));
            reading.add(new Reading(block, position, length, count));
            nextRead += length;
            isStarted = true;
        } finally {
            if (!isStarted) {
                block.close();
            }
        }
    }

    /**
     * Returns a block to read into, and waits for writes if necessary. Returns null if memory is short while other
     * blocks are being read.
     */
    private BufferLease takeBlock(int length) throws IOException, InterruptedException {
        while (true) {
            BufferLease block = reading.size() + writing.size() < DEPTH ? memory.tryTake(length) : null;
            if (block != null) {
                return block;
            }
            if (!writing.isEmpty()) {
                await(writing.element(), names.sink());
                writing.remove();
            } else if (!reading.isEmpty()) {
                return null;
            } else {
                return memory.await(length);
            }
        }
    }

    /**
     * Forwards a block to the sink.
     *
     * @return false if the block was the last block of a file whose size is known only by reading it
     */
    private boolean forward(Reading read) throws IOException, InterruptedException {
        boolean isPassedOn = false;
        try {
            int count = Math.max(0, await(read.count(), names.source()));
            boolean isShort = count < read.length();
            if (isShort && source.size() != BlockSource.UNKNOWN_SIZE) {
                throw becameShorter(read.position() + count);
            }
            ByteBuffer buffer = read.block().buffer().flip();
            end = read.position() + count;
            flow.moved(buffer);
            boolean isHole = sink.canHaveHoles() && read.position() >= stretch.holesFrom() && ZeroBlocks.isZero(buffer);
            if (count > 0 && !isHole) {
                flow.beforeWrite(count);
                isPassedOn = true;
                writing.add(NamedFailures.get(names.sink(), () -> sink.write(read.block(), read.position())));
            }
            keepSafe();
            return !isShort;
        } finally {
            if (!isPassedOn && read.count().isDone()) {
                read.block().close();
            } else if (!isPassedOn) {
                reading.addFirst(read); // the pump ends, and settles the read
            }
        }
    }

    private void keepSafe() throws IOException, InterruptedException {
        if (sink.keepsWrites()) {
            safe = end;
            flow.safe(safe);
        } else if (!sink.isWhole() && ++sinceCheckpoint >= blocksPerCheckpoint) {
            checkpoint();
        }
    }

    /** Returns a block to its owner once no read writes to it any more. */
    private static void closeOnceRead(Reading read) {
        Futures.whenOver(read.count(), read.block()::close);
    }

    private void checkpoint() throws IOException, InterruptedException {
        awaitWrites();
        NamedFailures.run(names.sink(), sink::checkpoint);
        safe = end;
        flow.safe(safe);
        sinceCheckpoint = 0;
        blocksPerCheckpoint = Math.min(2 * blocksPerCheckpoint, BLOCKS_PER_CHECKPOINT);
    }

    private IOException becameShorter(long position) {
        return new FileChangedException(names.source() + ": became shorter while it was read, at octet " + position);
    }

    private void awaitWrites() throws IOException, InterruptedException {
        while (!writing.isEmpty()) {
            await(writing.element(), names.sink());
            writing.remove();
        }
    }

    /**
     * Waits for an operation without a timeout. The options of the mount limit the duration of a call. On a hard mount,
     * the call can last for ever.
     */
    private <T> T await(CompletableFuture<T> operation, String name) throws IOException, InterruptedException {
        try {
            return runtime.await(operation, Long.MAX_VALUE);
        } catch (ExecutionException e) {
            throw NamedFailures.about(name, e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(e); // after 292 years
        }
    }

    /**
     * Returns the blocks of a pump that has failed to their owner, and gives up the reads that the server does not
     * answer soon: a hard mount would keep the reads and the blocks until the server is back. Blocks that are being
     * written are returned by their writes.
     */
    private void settle() {
        boolean isInterrupted = false;
        try {
            if (!reading.isEmpty()) {
                runtime.await(
                        CompletableFuture.allOf(
                                reading.stream().map(Reading::count).toArray(CompletableFuture[]::new)),
                        GRACE_NANOS);
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("{}: reads are left", names.source(), e);
        } finally {
            for (Reading read : reading) {
                closeOnceRead(read);
                read.count().cancel(false);
            }
            reading.clear();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
