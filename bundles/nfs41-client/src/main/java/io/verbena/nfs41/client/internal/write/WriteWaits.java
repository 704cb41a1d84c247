package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Waits for the writes of one file: until the server has answered them, or has them on stable storage. Thread safe; its
 * monitor is that of {@link WriteBack}.
 */
public final class WriteWaits {
    private final WriteBack writes;
    private final CommitTracker commits;

    @GuardedBy("writes")
    private final UncommittedBlocks retained;

    @GuardedBy("writes")
    private final Set<SubmittedWrite> active;

    @GuardedBy("writes")
    private final Set<OrderedCall.Changing<?>> exclusives;

    /** The server may have lost chunks with a lower order: see {@link #serverRestarted}. */
    @GuardedBy("writes")
    private long doubtedUntil;

    @GuardedBy("writes")
    private int restarts;

    /**
     * @param active the writes without an answer, in the order of the calls
     * @param exclusives the changes of the whole file that have not ended
     */
    WriteWaits(
            WriteBack writes,
            CommitTracker commits,
            UncommittedBlocks retained,
            Set<SubmittedWrite> active,
            Set<OrderedCall.Changing<?>> exclusives) {
        this.writes = writes;
        this.commits = commits;
        this.retained = retained;
        this.active = active;
        this.exclusives = exclusives;
    }

    /** Brings the writes so far to stable storage. */
    public CompletableFuture<Void> settle() {
        return settle(submission -> true);
    }

    /**
     * As {@link #settle()}, without the writes of which no octet was sent. A change of the whole file may hold them up,
     * and that change may itself wait for the caller.
     */
    public CompletableFuture<Void> settleSent() {
        writes.push();
        return settle(submission -> !WriteBack.isWaiting(submission));
    }

    private CompletableFuture<Void> settle(Predicate<SubmittedWrite> awaited) {
        List<SubmittedWrite> earlier;
        long mark;
        synchronized (writes) {
            writes.coalescer().push();
            earlier = active.stream().filter(awaited).toList();
            mark = writes.order();
        }
        writes.drain();
        return earlier.isEmpty()
                ? commits.until(mark)
                : allDone(earlier).thenCompose(done -> commits.until(endOf(earlier, mark)));
    }

    /** The order behind all of these writes; their last chunks may have been sent since {@code mark}. */
    private long endOf(List<SubmittedWrite> earlier, long mark) {
        synchronized (writes) {
            return earlier.stream().mapToLong(submission -> submission.endOrder).reduce(mark, Math::max);
        }
    }

    /** Completes once the server has answered all writes and changes so far, with success or failure. */
    public CompletableFuture<Void> answered() {
        return answered(0, Long.MAX_VALUE);
    }

    /**
     * Completes once the server has answered the writes so far that overlap a range, and the changes of the whole file,
     * and has got back what it lost by a restart. Never fails: failures are reported to the writers.
     */
    public CompletableFuture<Void> answered(long from, long to) {
        List<CompletableFuture<?>> awaited;
        synchronized (writes) {
            if (writes.isQuiet()) {
                return CompletableFuture.completedFuture(null);
            }
            writes.coalescer().pushIfOverlapping(from, to);
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

    /** Completes once the server has got back what it lost by a restart. Never fails. */
    public CompletableFuture<Void> certain() {
        long mark;
        synchronized (writes) {
            if (!isDoubtful()) {
                return CompletableFuture.completedFuture(null);
            }
            mark = doubtedUntil;
        }
        return settled(List.of(commits.until(mark)));
    }

    /** Whether the server may have lost chunks that it has answered. */
    boolean isDoubtful() {
        synchronized (writes) {
            return doubtedUntil > 0 && !retained.isSafeUntil(doubtedUntil, commits.isReplaying());
        }
    }

    /**
     * The server has restarted, and may have lost answered chunks that were not on stable storage. Until a COMMIT shows
     * which, and they are written again, reads of the file wait: see {@link #answered}.
     */
    public void serverRestarted() {
        synchronized (writes) {
            if (retained.bytes() > 0) {
                doubtedUntil = writes.order();
                restarts++;
            }
        }
    }

    /** Counts the restarts that may have lost chunks. A read during which the count changes has to be repeated. */
    public int restarts() {
        synchronized (writes) {
            return restarts;
        }
    }

    private static List<CompletableFuture<?>> futuresOf(List<SubmittedWrite> writes) {
        List<CompletableFuture<?>> futures = new ArrayList<>(writes.size() + 2);
        writes.forEach(submission -> futures.add(submission.done));
        return futures;
    }

    private static CompletableFuture<Void> settled(List<CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .handle((done, thrown) -> null);
    }

    /** Completes once the server has answered these writes. Never fails. */
    static CompletableFuture<Void> allDone(List<SubmittedWrite> writes) {
        return settled(futuresOf(writes));
    }
}
