package io.verbena.nfs41.client.internal;

import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * The appends of one file: each gets its place in the order of the calls, at the latest when its turn comes. While writes
 * are under way the client knows the end of the file better than the server; once nothing is under way, or the size may
 * have changed otherwise, the server is asked. Thread safe; its monitor is that of {@link WriteBack}.
 */
final class Appends {
    private final WriteBack writes;
    private final Deque<Turn> waiting;
    private final Set<Submission> active;

    // guarded by writes
    /** The end of the file behind all calls so far, or {@link Submission#NOWHERE}. */
    private long end = Submission.NOWHERE;
    /** Whether the append at the head of the queue is getting its place. */
    private boolean placing;
    /** Those that have no place yet, in the order of the calls. */
    private final Set<Submission> unplaced = new LinkedHashSet<>();

    /**
     * @param waiting the calls that wait for their turn
     * @param active the writes without an answer, in the order of the calls
     */
    Appends(WriteBack writes, Deque<Turn> waiting, Set<Submission> active) {
        this.writes = writes;
        this.waiting = waiting;
        this.active = active;
    }

    /** Whether nothing else may have its turn. Called under the monitor. */
    boolean isPlacing() {
        return placing;
    }

    /** Something was written, up to that offset. Called under the monitor. */
    void wrote(long offset) {
        if (end != Submission.NOWHERE) {
            end = Math.max(end, offset);
        }
        unplaced.forEach(append -> append.writtenBehind = Math.max(append.writtenBehind, offset));
    }

    /** The size was set, or others may have changed the file. Called under the monitor. */
    void forgetSize() {
        end = Submission.NOWHERE;
    }

    /**
     * Where an append goes that is called now, or {@link Submission#NOWHERE} where that is known only at its turn: behind
     * an append without a place, behind a change of the size, and where the server has to be asked. Called under the
     * monitor.
     */
    long place() {
        if (writes.isIdle()) {
            end = Submission.NOWHERE; // others may have written
        }
        return unplaced.isEmpty() && !writes.isChanging() ? end : Submission.NOWHERE;
    }

    /** Puts an append into the queue. Called under the monitor. */
    void add(Submission append, LongConsumer placed, Supplier<CompletableFuture<Long>> size) {
        long at = place();
        if (at == Submission.NOWHERE) {
            unplaced.add(append);
        } else {
            append.place(at);
            wrote(append.end);
        }
        active.add(append);
        waiting.add(new Turn.Appending(append, placed, size));
    }

    /**
     * The append at the head has its turn: its caller is told its place, which the server may have to be asked for. Called
     * under the monitor.
     *
     * @return what is to be done outside of it
     */
    Runnable begin(Turn.Appending appending) {
        Submission append = appending.submission();
        placing = true;
        if (append.thrown != null || append.start != Submission.NOWHERE) {
            return () -> tell(appending);
        }
        List<Submission> before =
                active.stream().takeWhile(earlier -> earlier != append).toList();
        return () -> Futures.whenDone(
                Futures.begin(() -> WriteWaits.allDone(before).thenCompose(done -> size(appending))),
                (size, thrown) -> {
                    sized(append, size, thrown);
                    writes.drain();
                });
    }

    /** The size behind what was written, which a server that has restarted may have lost and get again. */
    private CompletableFuture<Long> size(Turn.Appending appending) {
        int restarts = writes.waits().restarts();
        return writes.waits()
                .certain()
                .thenCompose(done -> appending.size().get())
                .thenCompose(size -> writes.waits().restarts() == restarts
                        ? CompletableFuture.completedFuture(size)
                        : size(appending));
    }

    /** The turn comes again, with a place or with a failure. */
    private void sized(Submission append, Long size, Throwable thrown) {
        synchronized (writes) {
            placing = false;
            unplaced.remove(append);
            if (thrown != null) {
                append.fail(thrown);
            } else if (append.thrown == null) {
                append.place(size);
                // appends that wait behind it ask by themselves: the file may be cut in between
                end = Math.max(append.end, append.writtenBehind);
            }
        }
    }

    /** Tells the caller of an append its place; then the append goes on as any other write does. */
    private void tell(Turn.Appending appending) {
        Submission append = appending.submission();
        Throwable thrown = null;
        try {
            if (append.start != Submission.NOWHERE) {
                appending.placed().accept(append.start);
            }
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        synchronized (writes) {
            placing = false;
            unplaced.remove(append);
            waiting.remove();
            waiting.addFirst(new Turn.Writing(append));
            if (thrown != null) {
                append.fail(thrown);
            }
        }
    }
}
