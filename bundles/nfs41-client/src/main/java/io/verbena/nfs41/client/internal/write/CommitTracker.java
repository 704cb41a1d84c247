package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.util.Futures;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The COMMITs of one file (RFC 8881 section 18.3). Data is written unstable and kept until the verifier of a COMMIT
 * shows that it is on stable storage. Data that the server has lost by a restart is written again, in its order. Thread
 * safe; its monitor is that of {@link WriteBack}.
 */
final class CommitTracker {
    /** How many COMMITs in a row may report lost data; a restarting server is back long before. */
    private static final int MAX_LOSSES = 8;

    private final WriteBack writes;

    @GuardedBy("writes")
    private final UncommittedBlocks retained;

    @GuardedBy("writes")
    private int unanswered;

    @GuardedBy("writes")
    private boolean replaying;

    @GuardedBy("writes")
    private int losses;

    @GuardedBy("writes")
    private CompletableFuture<Void> quiet;

    @GuardedBy("writes")
    private CompletableFuture<Void> running;

    CommitTracker(WriteBack writes, UncommittedBlocks retained) {
        this.writes = writes;
        this.retained = retained;
    }

    /** A WRITE is about to be sent. */
    void sent() {
        synchronized (writes) {
            unanswered++;
        }
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

    /** Whether lost data is being written again, so that no other write may be sent. */
    boolean isReplaying() {
        synchronized (writes) {
            return replaying;
        }
    }

    /** The COMMIT under way, including the rewriting of data that it shows to be lost. */
    CompletableFuture<Void> running() {
        synchronized (writes) {
            return running == null ? CompletableFuture.completedFuture(null) : running;
        }
    }

    /** Brings the answered chunks with an order below {@code mark} to stable storage. */
    CompletableFuture<Void> until(long mark) {
        synchronized (writes) {
            if (retained.isSafeUntil(mark, replaying)) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return commit().thenCompose(done -> until(mark));
    }

    /** Commits the answered chunks. One COMMIT runs at a time. */
    CompletableFuture<Void> commit() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        List<WriteBlock> covered;
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
        try {
            WriteSender calls = covered.get(0).writer().calls();
            CompletableFuture<Void> settled =
                    Futures.begin(calls::commit).thenCompose(verifier -> committed(covered, verifier));
            Futures.whenDoneElse(
                    settled, (done, thrown) -> ended(covered, mine, thrown), thrown -> ended(covered, mine, thrown));
        } catch (Throwable e) { // no memory for the continuations
            ended(covered, mine, e);
        }
        return mine;
    }

    private void ended(List<WriteBlock> covered, CompletableFuture<Void> commit, Throwable thrown) {
        synchronized (writes) {
            running = null;
            if (thrown != null) {
                // the next COMMIT may succeed over data that this one lost
                writersOf(covered).forEach(writer -> writer.fail(thrown));
            }
        }
        Futures.complete(commit, null, thrown);
        writes.room(thrown);
    }

    /** See {@link WriteBack#giveUp}. */
    CompletableFuture<Void> giveUp(Predicate<WriteBlock> which, Throwable why) {
        CompletableFuture<Void> present;
        synchronized (writes) {
            present = running;
            if (present == null) {
                List<WriteBlock> given =
                        retained.acknowledged().stream().filter(which).toList();
                given.forEach(retained::release);
                writersOf(given).forEach(writer -> writer.fail(why));
            }
        }
        if (present != null) { // which may be writing lost data again
            return present.handle((done, thrown) -> null).thenCompose(done -> giveUp(which, why));
        }
        writes.room(null);
        return CompletableFuture.completedFuture(null);
    }

    private static Set<OpenWriter> writersOf(List<WriteBlock> chunks) {
        Set<OpenWriter> writers = new HashSet<>();
        chunks.forEach(chunk -> writers.add(chunk.writer()));
        return writers;
    }

    private CompletableFuture<Void> committed(List<WriteBlock> covered, long verifier) {
        CompletableFuture<Void> ready;
        synchronized (writes) {
            List<WriteBlock> lost = retained.releaseCovered(covered, verifier);
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
            ready = new CompletableFuture<>();
            replaying = true;
            if (unanswered == 0) {
                ready.complete(null);
            } else {
                quiet = ready;
            }
        }
        try {
            return ready.thenCompose(quietNow -> replay(verifier)).whenComplete((done, thrown) -> replayed());
        } catch (Throwable e) { // no memory for the continuations
            replayed();
            throw e;
        }
    }

    private void replayed() {
        synchronized (writes) {
            replaying = false;
        }
    }

    /**
     * Writes the lost chunks again, one after the other in their order. Where that fails for an open, its remaining
     * chunks are given up and its writer is told.
     */
    private CompletableFuture<Void> replay(long verifier) {
        List<WriteBlock> again;
        synchronized (writes) {
            again = retained.rewind(verifier);
        }
        Set<OpenWriter> failed = new HashSet<>(); // used by one link of the chain at a time
        CompletableFuture<Void> chain = CompletableFuture.completedFuture(null);
        for (WriteBlock chunk : again) {
            chain = chain.thenCompose(done -> writeAgain(chunk, failed)).exceptionally(thrown -> null);
        }
        return chain;
    }

    private CompletableFuture<Void> writeAgain(WriteBlock chunk, Set<OpenWriter> failed) {
        OpenWriter writer = chunk.writer();
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
