package io.verbena.nfs41.client.internal;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Status;
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
    private final WriteCalls calls;

    // guarded by this
    private final RetainedChunks retained;
    private final Deque<Submission> waiting = new ArrayDeque<>();
    private final Set<Submission> active = new HashSet<>();
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
        this.calls = new WriteCalls(state, stable, this);
        this.retained = new RetainedChunks(pool);
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
                full = retained.bytes() >= maxRetained / 2;
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
        if (replaying || (retained.bytes() > 0 && retained.bytes() + occupied > maxRetained)) {
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
        Futures.whenDone(calls.write(chunk), (done, thrown) -> {
            CompletableFuture<Void> nowQuiet = null;
            synchronized (this) {
                inFlight--;
                if (inFlight == 0) {
                    nowQuiet = quiet;
                    quiet = null;
                }
                submission.outstanding--;
                if (thrown != null) {
                    submission.thrown = Errors.graver(submission.thrown, thrown);
                    fail(thrown);
                    retained.release(chunk);
                } else {
                    retained.releaseIfStable(chunk);
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
     * There may be room for those who wait, or there will never be. Who still waits needs a COMMIT of what has been
     * answered meanwhile: when he began to wait, nothing may have been.
     */
    private void room(Throwable thrown) {
        List<Submission> resumed = new ArrayList<>(0);
        synchronized (this) {
            if (thrown != null) {
                waiting.forEach(submission -> submission.thrown = thrown);
            }
            if (thrown != null || (!replaying && retained.bytes() < maxRetained)) {
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
        return settle().thenCompose(done -> report());
    }

    /** As {@link #sync}, which is still to tell of what failed. */
    CompletableFuture<Void> settle() {
        List<Submission> writes;
        long mark;
        synchronized (this) {
            writes = List.copyOf(active);
            mark = nextOrder;
        }
        return CompletableFuture.allOf(
                        writes.stream().map(submission -> submission.done).toArray(CompletableFuture[]::new))
                .handle((done, thrown) -> null)
                .thenCompose(done -> commitUntil(endOf(writes, mark)));
    }

    /** The order behind all of these writes, whose last pieces may have been sent since {@code mark}. */
    private synchronized long endOf(List<Submission> writes, long mark) {
        return writes.stream().mapToLong(submission -> submission.endOrder).reduce(mark, Math::max);
    }

    private CompletableFuture<Void> commitUntil(long mark) {
        synchronized (this) {
            if (retained.isSafeUntil(mark, replaying)) {
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
            covered = retained.acknowledged();
            if (covered.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            running = new CompletableFuture<>();
            commit = running;
        }
        CompletableFuture<Void> settled = calls.commit().thenCompose(verifier -> committed(covered, verifier));
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
            List<WriteChunk> lost = retained.releaseCovered(covered, verifier);
            losses = lost.isEmpty() ? 0 : losses + 1;
            if (lost.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            if (losses == MAX_LOSSES) {
                losses = 0;
                lost.forEach(retained::release);
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
        List<WriteChunk> again;
        synchronized (this) {
            again = retained.rewind(verifier);
        }
        CompletableFuture<Void> chain = CompletableFuture.completedFuture(null);
        for (WriteChunk chunk : again) {
            chain = chain.thenCompose(done -> calls.write(chunk)).whenComplete((done, thrown) -> {
                if (thrown == null) {
                    synchronized (this) {
                        retained.releaseIfStable(chunk);
                    }
                }
            });
        }
        return chain.whenComplete((done, thrown) -> {
            if (thrown != null) {
                synchronized (this) {
                    fail(thrown);
                    again.stream().filter(chunk -> !chunk.isAcknowledged()).forEach(retained::release);
                }
            }
        });
    }

    /** Octets of the buffers that it keeps. */
    synchronized long retainedBytes() {
        return retained.bytes();
    }

    /** Forgets what it keeps, as when the file is closed and nothing more can be done for the data. */
    void drop() {
        synchronized (this) {
            retained.acknowledged().forEach(retained::release);
        }
    }
}
