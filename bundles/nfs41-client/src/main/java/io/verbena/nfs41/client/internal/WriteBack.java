package io.verbena.nfs41.client.internal;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

/**
 * Writes of one open file. Data goes out unstable and is kept, in buffers of the pool's, until COMMIT shows by its
 * verifier that the server has it for good; what the server lost by a restart is written again, in its order. Bounded:
 * who finds no room waits for a COMMIT. Thread safe.
 */
final class WriteBack {
    private static final long MAX_RETAINED = 64L << 20;
    /** So many COMMITs in a row may tell that data was lost: a server that restarts is back long before. */
    private static final int MAX_LOSSES = 8;

    private final OpenState state;
    private final BufferPool pool;
    private final IntSupplier wsize;
    private final StableHow stable;
    private final long maxRetained;

    // guarded by this
    private final Deque<WriteChunk> retained = new ArrayDeque<>();
    private final Deque<Submission> waiting = new ArrayDeque<>();
    private final Set<Submission> active = new HashSet<>();
    private long retainedBytes;
    private long nextOrder;
    private int inFlight;
    private boolean replaying;
    private int losses;
    private CompletableFuture<Void> quiet;
    private CompletableFuture<Void> commit;
    private IOException failure;

    /**
     * @param wsize the most octets of a WRITE
     */
    WriteBack(OpenState state, BufferPool pool, IntSupplier wsize, StableHow stable) {
        this(state, pool, wsize, stable, MAX_RETAINED);
    }

    /**
     * @param maxRetained the most octets of buffers to keep
     */
    WriteBack(OpenState state, BufferPool pool, IntSupplier wsize, StableHow stable, long maxRetained) {
        this.state = state;
        this.pool = pool;
        this.wsize = wsize;
        this.stable = stable;
        this.maxRetained = maxRetained;
    }

    /** One call of the user's: pieces of it go out as there is room. */
    private static final class Submission {
        private final ByteBuffer source;
        private final boolean handedOver;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private long position;
        private long endOrder;
        private int outstanding;
        private boolean allSent;
        private Throwable thrown;

        Submission(ByteBuffer source, long position, boolean handedOver) {
            this.source = source;
            this.position = position;
            this.handedOver = handedOver;
        }
    }

    /**
     * Writes all of {@code source}, whose position advances as its octets are copied or sent.
     *
     * @return complete when the server has answered every WRITE
     */
    CompletableFuture<Void> write(ByteBuffer source, long position) {
        return submit(new Submission(source, position, false));
    }

    /** As {@link #write}, of a buffer of the pool's that goes over to this object, at most one WRITE long. */
    CompletableFuture<Void> writeOwned(ByteBuffer pooled, long position) {
        return submit(new Submission(pooled, position, true));
    }

    private CompletableFuture<Void> submit(Submission submission) {
        if (!submission.source.hasRemaining()) {
            return CompletableFuture.completedFuture(null);
        }
        synchronized (this) {
            active.add(submission);
        }
        pump(submission);
        return submission.done;
    }

    private void pump(Submission submission) {
        while (true) {
            WriteChunk chunk;
            boolean full;
            synchronized (this) {
                if (!submission.source.hasRemaining() || submission.thrown != null) {
                    submission.allSent = true;
                    break;
                }
                chunk = admit(submission);
                full = retainedBytes >= maxRetained / 2;
            }
            if (full) {
                CompletableFuture<Void> unused = commit();
            }
            if (chunk == null) {
                return;
            }
            send(chunk, submission);
        }
        finishIfDone(submission);
    }

    /** The next piece of a submission, or null where it has to wait. */
    private WriteChunk admit(Submission submission) {
        ByteBuffer source = submission.source;
        int length = Math.min(source.remaining(), wsize.getAsInt());
        int occupied = BufferPool.sizeOf(length);
        if (replaying || (retainedBytes > 0 && retainedBytes + occupied > maxRetained)) {
            waiting.add(submission);
            return null;
        }
        ByteBuffer data = dataOf(submission, length);
        boolean pooled = submission.handedOver || stable == StableHow.UNSTABLE4 || !source.isDirect();
        WriteChunk chunk = new WriteChunk(submission.position, data, pooled, nextOrder++);
        submission.position += length;
        submission.outstanding++;
        submission.endOrder = nextOrder;
        retained.add(chunk);
        retainedBytes += data.capacity();
        inFlight++;
        return chunk;
    }

    private ByteBuffer dataOf(Submission submission, int length) {
        ByteBuffer source = submission.source;
        ByteBuffer data;
        if (submission.handedOver) {
            data = source.duplicate();
        } else if (stable != StableHow.UNSTABLE4 && source.isDirect()) {
            data = source.slice(source.position(), length);
        } else {
            data = pool.take(length);
            data.put(0, source, source.position(), length);
        }
        source.position(source.position() + length);
        return data;
    }

    private void send(WriteChunk chunk, Submission submission) {
        Futures.whenDone(transmit(chunk), (done, thrown) -> {
            CompletableFuture<Void> nowQuiet = null;
            synchronized (this) {
                inFlight--;
                if (inFlight == 0) {
                    nowQuiet = quiet;
                    quiet = null;
                }
                submission.outstanding--;
                if (thrown != null) {
                    submission.thrown = thrown;
                    fail(thrown);
                    release(chunk);
                } else {
                    releaseIfStable(chunk);
                }
            }
            if (nowQuiet != null) {
                nowQuiet.complete(null);
            }
            room(null);
            finishIfDone(submission);
        });
    }

    /** What the next {@link #sync} is to report, of several failures the first. */
    private synchronized void fail(Throwable thrown) {
        failure = failure == null ? Errors.again(Errors.of(state.path(), thrown)) : failure;
    }

    /** Sends all of a chunk, in several WRITEs where the server takes less than it was given. */
    private CompletableFuture<Void> transmit(WriteChunk chunk) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        transmit(chunk, done);
        return done;
    }

    private void transmit(WriteChunk chunk, CompletableFuture<Void> done) {
        ByteBuffer rest = chunk.rest();
        WriteRequest request = new WriteRequest(state, chunk.restOffset(), rest, stable);
        Futures.whenDone(state.call(request), (result, thrown) -> {
            if (thrown != null) {
                done.completeExceptionally(thrown);
            } else if (result.count() <= 0 || result.count() > rest.remaining()) {
                done.completeExceptionally(new PeerProtocolException(
                        "the server claims to have written " + Integer.toUnsignedString(result.count()) + " of "
                                + rest.remaining() + " octets (RFC 8881 section 18.32)",
                        null));
            } else if (take(chunk, result)) {
                done.complete(null);
            } else {
                transmit(chunk, done);
            }
        });
    }

    private synchronized boolean take(WriteChunk chunk, Write.Result result) {
        return chunk.take(result);
    }

    private void finishIfDone(Submission submission) {
        Throwable thrown;
        synchronized (this) {
            if (!submission.allSent || submission.outstanding > 0 || !active.remove(submission)) {
                return;
            }
            thrown = submission.thrown;
        }
        if (thrown == null) {
            Blocking.completing(() -> submission.done.complete(null));
        } else {
            Blocking.completing(() -> submission.done.completeExceptionally(thrown));
        }
    }

    /**
     * Data that is safe need not be kept, unless something older lies under it: were that written again, this would have
     * to be, too.
     */
    private void releaseIfStable(WriteChunk chunk) {
        if (!chunk.isStable()) {
            return;
        }
        for (WriteChunk older : retained) {
            if (older == chunk) {
                break;
            }
            if (chunk.isPooled() && older.overlaps(chunk)) {
                return;
            }
        }
        release(chunk);
    }

    private void release(WriteChunk chunk) {
        if (retained.remove(chunk)) {
            retainedBytes -= chunk.data().capacity();
            if (chunk.isPooled()) {
                pool.give(chunk.data());
            }
        }
    }

    /**
     * There may be room for those who wait, or there will never be. Who still waits needs a COMMIT of what has been
     * answered meanwhile: when he began to wait, nothing may have been.
     */
    private void room(Throwable thrown) {
        List<Submission> resumed = new ArrayList<>(0);
        synchronized (this) {
            if (thrown != null) {
                waiting.forEach(submission -> submission.thrown = thrown);
            }
            if (thrown != null || (!replaying && retainedBytes < maxRetained)) {
                resumed.addAll(waiting);
                waiting.clear();
            }
        }
        resumed.forEach(this::pump);
        boolean stillFull;
        synchronized (this) {
            stillFull = !waiting.isEmpty();
        }
        if (stillFull) {
            CompletableFuture<Void> unused = commit();
        }
    }

    /** Waits for the writes so far and brings them to stable storage. */
    CompletableFuture<Void> sync() {
        List<Submission> writes;
        long mark;
        synchronized (this) {
            writes = List.copyOf(active);
            mark = nextOrder;
        }
        return CompletableFuture.allOf(
                        writes.stream().map(submission -> submission.done).toArray(CompletableFuture[]::new))
                .handle((done, thrown) -> null)
                .thenCompose(done -> commitUntil(endOf(writes, mark)))
                .thenCompose(done -> report());
    }

    /** The order behind all of these writes, whose last pieces may have been sent since {@code mark}. */
    private synchronized long endOf(List<Submission> writes, long mark) {
        return writes.stream().mapToLong(submission -> submission.endOrder).reduce(mark, Math::max);
    }

    private CompletableFuture<Void> commitUntil(long mark) {
        synchronized (this) {
            // what is being written again is not acknowledged, but not safe either
            boolean safe =
                    retained.stream().noneMatch(chunk -> chunk.order() < mark && (replaying || chunk.isAcknowledged()));
            if (safe) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return commit().thenCompose(done -> commitUntil(mark));
    }

    private synchronized CompletableFuture<Void> report() {
        IOException reported = failure;
        failure = null;
        return reported == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(reported);
    }

    /** COMMITs what has been answered; one COMMIT at a time. */
    private CompletableFuture<Void> commit() {
        CompletableFuture<Void> running;
        List<WriteChunk> covered;
        synchronized (this) {
            if (commit != null) {
                return commit;
            }
            covered = retained.stream().filter(WriteChunk::isAcknowledged).toList();
            if (covered.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            running = new CompletableFuture<>();
            commit = running;
        }
        CompletableFuture<Void> settled =
                state.call(new CommitRequest(state)).thenCompose(verifier -> committed(covered, verifier));
        Futures.whenDone(settled, (done, thrown) -> {
            synchronized (this) {
                commit = null;
                if (thrown != null) {
                    // the next COMMIT may succeed over data that this one lost
                    fail(thrown);
                }
            }
            if (thrown == null) {
                running.complete(null);
            } else {
                running.completeExceptionally(thrown);
            }
            room(thrown);
        });
        return running;
    }

    private CompletableFuture<Void> committed(List<WriteChunk> covered, long verifier) {
        CompletableFuture<Void> ready;
        synchronized (this) {
            List<WriteChunk> lost = new ArrayList<>(0);
            for (WriteChunk chunk : covered) {
                // what lies over something lost is to be written again behind it
                if (chunk.isCoveredBy(verifier) && lost.stream().noneMatch(chunk::overlaps)) {
                    release(chunk);
                } else {
                    lost.add(chunk);
                }
            }
            losses = lost.isEmpty() ? 0 : losses + 1;
            if (lost.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            if (losses == MAX_LOSSES) {
                losses = 0;
                lost.forEach(this::release);
                return CompletableFuture.failedFuture(new NfsException(
                        state.path(),
                        Status.NFS4ERR_IO.name(),
                        "the server loses written data again and again: what is not safe is given up"));
            }
            replaying = true;
            if (inFlight == 0) {
                ready = CompletableFuture.completedFuture(null);
            } else {
                quiet = new CompletableFuture<>();
                ready = quiet;
            }
        }
        return ready.thenCompose(quietNow -> replay(verifier)).whenComplete((done, thrown) -> {
            synchronized (this) {
                replaying = false;
            }
        });
    }

    /**
     * Writes again what the server has lost, one after the other in the order of the writes. Where that fails, what is
     * not written is given up and the failure reported.
     */
    private CompletableFuture<Void> replay(long verifier) {
        List<WriteChunk> again = new ArrayList<>();
        synchronized (this) {
            for (WriteChunk chunk : retained) {
                boolean lost = !chunk.isCoveredBy(verifier);
                if (lost || again.stream().anyMatch(chunk::overlaps)) {
                    again.add(chunk);
                    chunk.rewind();
                }
            }
        }
        CompletableFuture<Void> chain = CompletableFuture.completedFuture(null);
        for (WriteChunk chunk : again) {
            chain = chain.thenCompose(done -> transmit(chunk)).whenComplete((done, thrown) -> {
                if (thrown == null) {
                    synchronized (this) {
                        releaseIfStable(chunk);
                    }
                }
            });
        }
        return chain.whenComplete((done, thrown) -> {
            if (thrown != null) {
                synchronized (this) {
                    fail(thrown);
                    again.stream().filter(chunk -> !chunk.isAcknowledged()).forEach(this::release);
                }
            }
        });
    }

    /** Octets of the buffers that it keeps. */
    synchronized long retainedBytes() {
        return retainedBytes;
    }

    /** Forgets what it keeps, as when the file is closed and nothing more can be done for the data. */
    void drop() {
        synchronized (this) {
            for (WriteChunk chunk : List.copyOf(retained)) {
                if (chunk.isAcknowledged()) {
                    release(chunk);
                }
            }
        }
    }

    private static final class CommitRequest extends Request<Long> {
        private final OpenState state;

        CommitRequest(OpenState state) {
            this.state = state;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle());
            Commit.encodeArgs(operations.next(), new Commit.Args(0, 0));
        }

        @Override
        Long decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return Commit.decodeResult(results.next(Opcode.COMMIT)).verifier();
        }
    }
}
