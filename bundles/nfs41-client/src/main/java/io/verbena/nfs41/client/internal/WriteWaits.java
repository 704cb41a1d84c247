package io.verbena.nfs41.client.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Those who wait for the writes of one file: until the server has answered them, or has them on stable storage. Thread
 * safe; its monitor is that of {@link WriteBack}.
 */
final class WriteWaits {
    private final WriteBack writes;
    private final Commits commits;
    private final RetainedChunks retained;
    private final Set<Submission> active;
    private final Set<Turn.Changing<?>> exclusives;

    // guarded by writes
    /** What was written before this order the server may have forgotten: see {@link #doubt}. */
    private long doubtedUntil;

    private int restarts;

    /**
     * @param active the writes without an answer, in the order of the calls
     * @param exclusives the changes of the whole file that have not ended
     */
    WriteWaits(
            WriteBack writes,
            Commits commits,
            RetainedChunks retained,
            Set<Submission> active,
            Set<Turn.Changing<?>> exclusives) {
        this.writes = writes;
        this.commits = commits;
        this.retained = retained;
        this.active = active;
        this.exclusives = exclusives;
    }

    /** Waits for the writes so far and brings them to stable storage. */
    CompletableFuture<Void> settle() {
        return settle(submission -> true);
    }

    /**
     * As {@link #settle()}, but not for the writes of which nothing was sent: a change of the whole file may hold them up
     * that itself waits for somebody who waits for this.
     */
    CompletableFuture<Void> settleSent() {
        writes.push();
        return settle(submission -> !WriteBack.isWaiting(submission));
    }

    private CompletableFuture<Void> settle(Predicate<Submission> awaited) {
        List<Submission> earlier;
        long mark;
        synchronized (writes) {
            writes.pushFilling();
            earlier = active.stream().filter(awaited).toList();
            mark = writes.order();
        }
        writes.drain();
        return earlier.isEmpty()
                ? commits.until(mark)
                : allDone(earlier).thenCompose(done -> commits.until(endOf(earlier, mark)));
    }

    /** The order behind all of these writes, whose last pieces may have been sent since {@code mark}. */
    private long endOf(List<Submission> earlier, long mark) {
        synchronized (writes) {
            return earlier.stream().mapToLong(submission -> submission.endOrder).reduce(mark, Math::max);
        }
    }

    /** Complete once the server has answered all writes and changes so far, whatever became of them. */
    CompletableFuture<Void> answered() {
        return answered(0, Long.MAX_VALUE);
    }

    /**
     * Complete once the server has answered the writes so far that overlap a range, and the changes of the whole file,
     * and has again what it forgot by a restart. Never fails: who wrote is told what failed.
     */
    CompletableFuture<Void> answered(long from, long to) {
        List<CompletableFuture<?>> awaited;
        synchronized (writes) {
            if (writes.isQuiet()) {
                return CompletableFuture.completedFuture(null);
            }
            if (writes.collects(from, to)) {
                writes.pushFilling();
            }
            awaited = futuresOf(active.stream()
                    .filter(submission -> submission.overlaps(from, to))
                    .toList());
            exclusives.forEach(turn -> awaited.add(turn.done()));
            if (commits.isReplaying()) {
                awaited.add(commits.running());
            }
        }
        writes.drain();
        awaited.add(certain());
        return settled(awaited);
    }

    /** Complete once the server has again what it forgot by a restart. Never fails. */
    CompletableFuture<Void> certain() {
        long mark;
        synchronized (writes) {
            if (!isDoubtful()) {
                return CompletableFuture.completedFuture(null);
            }
            mark = doubtedUntil;
        }
        return settled(List.of(commits.until(mark)));
    }

    /** Whether the server may lack what it has answered. Called under the monitor. */
    boolean isDoubtful() {
        return doubtedUntil > 0 && !retained.isSafeUntil(doubtedUntil, commits.isReplaying());
    }

    /**
     * The server has restarted, and may have forgotten what it answered and had not on stable storage. Until a COMMIT
     * shows that, and what was lost is written again, nobody may look: see {@link #answered}.
     */
    void doubt() {
        synchronized (writes) {
            if (retained.bytes() > 0) {
                doubtedUntil = writes.order();
                restarts++;
            }
        }
    }

    /** How often the server may have forgotten something: who looked meanwhile may have seen that. */
    int restarts() {
        synchronized (writes) {
            return restarts;
        }
    }

    private static List<CompletableFuture<?>> futuresOf(List<Submission> writes) {
        List<CompletableFuture<?>> futures = new ArrayList<>(writes.size() + 2);
        writes.forEach(submission -> futures.add(submission.done));
        return futures;
    }

    private static CompletableFuture<Void> settled(List<CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .handle((done, thrown) -> null);
    }

    /** Complete once the server has answered these writes. Never fails. */
    static CompletableFuture<Void> allDone(List<Submission> writes) {
        return settled(futuresOf(writes));
    }
}
