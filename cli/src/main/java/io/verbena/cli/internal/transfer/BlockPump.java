package io.verbena.cli.internal.transfer;

import io.verbena.cli.Failures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Moves one file in blocks, several of them in flight: reads run ahead where the source is asynchronous, and a buffer
 * is used again only when its write is complete. Blocks of zeros are left out where the sink can have holes.
 *
 * <p>Belongs to one thread, which an interrupt stops.
 */
final class BlockPump {
    static final int BLOCK_SIZE = 1 << 20;
    static final int DEPTH = 8;

    /** So many blocks at most are written again when a transfer goes on with another connection to the file. */
    private static final int BLOCKS_PER_CHECKPOINT = 64;

    /** So many at first when it goes on, then twice as many each time: what was replaced may be again soon. */
    private static final int BLOCKS_UNTIL_FIRST_CHECKPOINT = 1;

    private static final long SETTLE_SECONDS = 5;

    /** What failures are told of. */
    record Names(String source, String sink) {}

    /** A buffer, and what is being done with it: a read, or else a write. */
    private static final class Slot {
        final ByteBuffer buffer;
        long position;
        int length;
        Future<?> operation = CompletableFuture.completedFuture(null);

        Slot(ByteBuffer buffer) {
            this.buffer = buffer;
        }
    }

    private final BufferPool pool;
    private final BlockSource source;
    private final BlockSink sink;
    private final Names names;
    private final Stretch stretch;
    private final Flow flow;
    private final Deque<Slot> free = new ArrayDeque<>(DEPTH);
    private final Deque<Slot> reading = new ArrayDeque<>(DEPTH);
    private final Deque<Slot> writing = new ArrayDeque<>(DEPTH);
    private int slots;
    private long nextRead;
    private long end;
    private long safe;
    private int sinceCheckpoint;
    private int blocksPerCheckpoint;

    /**
     * @param names the source and the sink as failures tell them
     * @param stretch what is moved, from its start
     * @param isResumed whether an earlier pump was broken off
     */
    BlockPump(
            BufferPool pool,
            BlockSource source,
            BlockSink sink,
            Names names,
            Stretch stretch,
            Flow flow,
            boolean isResumed) {
        this.pool = pool;
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

    /** All before this octet is safe, whatever happened since. */
    long safe() {
        return safe;
    }

    /** Moves the stretch, and completes the file where it is the last; returns where it ends. */
    long run() throws IOException, InterruptedException {
        try {
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
                Failures.run(names.sink(), () -> sink.finish(end));
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
            Slot slot = takeSlot();
            slot.position = nextRead;
            slot.length = length;
            slot.buffer.clear().limit(slot.length);
            reading.add(slot);
            slot.operation = Failures.get(names.source(), () -> source.read(slot.buffer, slot.position));
            nextRead += slot.length;
        }
    }

    private Slot takeSlot() throws IOException, InterruptedException {
        if (!free.isEmpty()) {
            return free.remove();
        }
        if (slots < DEPTH) {
            slots++;
            return new Slot(pool.take());
        }
        Slot oldest = writing.element();
        await(oldest.operation, names.sink());
        return writing.remove();
    }

    /** Passes a block on; false when it was the last of a file whose size only reading tells. */
    private boolean forward(Slot slot) throws IOException, InterruptedException {
        free.add(slot);
        int count = Math.max(0, (Integer) await(slot.operation, names.source()));
        boolean isShort = count < slot.length;
        if (isShort && source.size() != BlockSource.UNKNOWN_SIZE) {
            throw becameShorter(slot.position + count);
        }
        slot.buffer.flip();
        end = slot.position + count;
        flow.moved(slot.buffer);
        boolean isHole = sink.canHaveHoles() && slot.position >= stretch.holesFrom() && Zeros.isZero(slot.buffer);
        if (count > 0 && !isHole) {
            flow.beforeWrite(count);
            free.removeLastOccurrence(slot);
            writing.add(slot);
            slot.operation = Failures.get(names.sink(), () -> sink.write(slot.buffer, slot.position));
        }
        if (sink.keepsWrites()) {
            safe = end;
        } else if (++sinceCheckpoint >= blocksPerCheckpoint) {
            checkpoint();
        }
        return !isShort;
    }

    private void checkpoint() throws IOException, InterruptedException {
        awaitWrites();
        Failures.run(names.sink(), sink::checkpoint);
        safe = end;
        sinceCheckpoint = 0;
        blocksPerCheckpoint = Math.min(2 * blocksPerCheckpoint, BLOCKS_PER_CHECKPOINT);
    }

    private IOException becameShorter(long position) {
        return new FileChangedException(names.source() + ": became shorter while it was read, at octet " + position);
    }

    private void awaitWrites() throws IOException, InterruptedException {
        while (!writing.isEmpty()) {
            await(writing.element().operation, names.sink());
            free.add(writing.remove());
        }
    }

    /** How long a call may take is for its mount to say, by its options; where it is mounted hard, for ever. */
    private static Object await(Future<?> operation, String name) throws IOException, InterruptedException {
        try {
            return operation.get();
        } catch (ExecutionException e) {
            throw Failures.about(name, e);
        }
    }

    /** Gives the buffers back, except those that the file's implementation may still be using. */
    private void settle() {
        boolean interrupted = Thread.interrupted();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_SECONDS);
        for (Deque<Slot> queue : List.of(free, reading, writing)) {
            for (Slot slot : queue) {
                Optional<Boolean> idle = idle(slot.operation, deadline);
                interrupted |= idle.isEmpty();
                if (idle.orElse(false)) {
                    pool.give(slot.buffer);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the operation has ended, well or not; empty where the wait was interrupted. */
    private static Optional<Boolean> idle(Future<?> operation, long deadline) {
        try {
            operation.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            return Optional.of(true);
        } catch (ExecutionException | CancellationException e) {
            return Optional.of(true);
        } catch (TimeoutException e) {
            return Optional.of(false);
        } catch (InterruptedException e) {
            return Optional.empty();
        }
    }
}
