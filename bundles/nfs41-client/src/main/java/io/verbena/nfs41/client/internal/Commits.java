package io.verbena.nfs41.client.internal;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Status;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * COMMITs of one file. Data goes out unstable and is kept until COMMIT shows by its verifier that the server has it for
 * good; what the server lost by a restart is written again, in its order (RFC 8881 section 18.3). Thread safe; its monitor
 * is that of {@link WriteBack}.
 */
final class Commits {
    /** So many COMMITs in a row may tell that data was lost: a server that restarts is back long before. */
    private static final int MAX_LOSSES = 8;

    private final WriteBack writes;
    private final RetainedChunks retained;

    // guarded by writes
    private int unanswered;
    private boolean replaying;
    private int losses;
    private CompletableFuture<Void> quiet;
    private CompletableFuture<Void> running;

    Commits(WriteBack writes, RetainedChunks retained) {
        this.writes = writes;
        this.retained = retained;
    }

    /** A WRITE is about to be sent. Called under the monitor. */
    void sent() {
        unanswered++;
    }

    /** A WRITE has its answer. */
    void answered() {
        CompletableFuture<Void> nowQuiet = null;
        synchronized (writes) {
            unanswered--;
            if (unanswered == 0) {
                nowQuiet = quiet;
                quiet = null;
            }
        }
        if (nowQuiet != null) {
            nowQuiet.complete(null);
        }
    }

    /** Whether lost data is being written again, so that nothing else may be sent. */
    boolean isReplaying() {
        synchronized (writes) {
            return replaying;
        }
    }

    /** The COMMIT under way, which includes the writing again of what it shows to be lost. */
    CompletableFuture<Void> running() {
        synchronized (writes) {
            return running == null ? CompletableFuture.completedFuture(null) : running;
        }
    }

    /** Brings to stable storage what was answered of the writes before {@code mark}. */
    CompletableFuture<Void> until(long mark) {
        synchronized (writes) {
            if (retained.isSafeUntil(mark, replaying)) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return commit().thenCompose(done -> until(mark));
    }

    /** COMMITs what has been answered; one COMMIT at a time. */
    CompletableFuture<Void> commit() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        List<WriteChunk> covered;
        synchronized (writes) {
            if (running != null) {
                return running;
            }
            covered = retained.acknowledged();
            if (covered.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            running = mine;
        }
        WriteCalls calls = covered.get(0).writer().calls();
        CompletableFuture<Void> settled =
                Futures.begin(calls::commit).thenCompose(verifier -> committed(covered, verifier));
        Futures.whenDone(settled, (done, thrown) -> {
            synchronized (writes) {
                running = null;
                if (thrown != null) {
                    // the next COMMIT may succeed over data that this one lost
                    writersOf(covered).forEach(writer -> writer.fail(thrown));
                }
            }
            Futures.complete(mine, null, thrown);
            writes.room(thrown);
        });
        return mine;
    }

    private static Set<Writer> writersOf(List<WriteChunk> chunks) {
        Set<Writer> writers = new HashSet<>();
        chunks.forEach(chunk -> writers.add(chunk.writer()));
        return writers;
    }

    private CompletableFuture<Void> committed(List<WriteChunk> covered, long verifier) {
        CompletableFuture<Void> ready;
        synchronized (writes) {
            List<WriteChunk> lost = retained.releaseCovered(covered, verifier);
            losses = lost.isEmpty() ? 0 : losses + 1;
            if (lost.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            if (losses == MAX_LOSSES) {
                losses = 0;
                lost.forEach(retained::release);
                return CompletableFuture.failedFuture(new NfsException(
                        lost.get(0).writer().state().path(),
                        Status.NFS4ERR_IO.name(),
                        "the server loses written data again and again: what is not safe is given up"));
            }
            replaying = true;
            if (unanswered == 0) {
                ready = CompletableFuture.completedFuture(null);
            } else {
                quiet = new CompletableFuture<>();
                ready = quiet;
            }
        }
        return ready.thenCompose(quietNow -> replay(verifier)).whenComplete((done, thrown) -> {
            synchronized (writes) {
                replaying = false;
            }
        });
    }

    /**
     * Writes again what the server has lost, one after the other in the order of the writes. Where that fails, what the
     * same open has not written is given up and its writer told.
     */
    private CompletableFuture<Void> replay(long verifier) {
        List<WriteChunk> again;
        synchronized (writes) {
            again = retained.rewind(verifier);
        }
        Set<Writer> failed = new HashSet<>(); // used by one link of the chain at a time
        CompletableFuture<Void> chain = CompletableFuture.completedFuture(null);
        for (WriteChunk chunk : again) {
            chain = chain.thenCompose(done -> writeAgain(chunk, failed)).exceptionally(thrown -> null);
        }
        return chain;
    }

    private CompletableFuture<Void> writeAgain(WriteChunk chunk, Set<Writer> failed) {
        Writer writer = chunk.writer();
        if (failed.contains(writer)) {
            synchronized (writes) {
                retained.release(chunk);
            }
            return CompletableFuture.completedFuture(null);
        }
        return Futures.begin(() -> writer.calls().write(chunk)).whenComplete((done, thrown) -> {
            synchronized (writes) {
                if (thrown == null) {
                    retained.releaseIfStable(chunk);
                } else {
                    failed.add(writer);
                    retained.release(chunk);
                    writer.fail(thrown);
                }
            }
        });
    }
}
