package io.verbena.nfs41.client.internal;

import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * The appends of one file: each gets its place in the order of the calls, at the latest when its turn comes. Thread safe;
 * its monitor is that of {@link WriteBack}.
 */
final class Appends {
    private final WriteBack writes;
    private final Deque<Turn> waiting;
    private final Set<Submission> active;

    // guarded by writes
    private final AppendEnd end = new AppendEnd();
    /** Whether the append at the head of the queue is getting its place. */
    private boolean placing;
    /** Appends that have no place yet. */
    private int unplaced;

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

    /** Whether places are given out whose data is to come. Called under the monitor. */
    boolean isReserved() {
        return end.isPlacing();
    }

    /** Something was written, up to that offset. Called under the monitor. */
    void wrote(long offset) {
        end.wrote(offset);
    }

    /** The size was set. Called under the monitor. */
    void resized() {
        end.resized();
    }

    /** Others may have changed the file. Called under the monitor. */
    void forgetSize() {
        end.forget();
    }

    /** Puts an append into the queue. Called under the monitor. */
    void add(Submission submission, LongConsumer placed, Supplier<CompletableFuture<Long>> size) {
        ByteBuffer source = submission.source;
        // behind an append without a place nobody knows his own
        long at = unplaced > 0 ? AppendEnd.UNKNOWN : end.reserve(source.remaining(), !writes.isQuiet());
        AppendEnd.Question question = null;
        if (at == AppendEnd.UNKNOWN) {
            unplaced++;
            question = end.ask();
        } else {
            submission.place(at);
            end.handedOver(submission.end);
        }
        active.add(submission);
        waiting.add(new Turn.Appending(submission, placed, size, question));
    }

    /**
     * The append at the head has its turn: its caller is told its place, which the server may have to be asked for. Called
     * under the monitor.
     *
     * @return what is to be done outside of it
     */
    Runnable begin(Turn.Appending appending) {
        Submission submission = appending.submission();
        placing = true;
        if (submission.start != AppendEnd.UNKNOWN) {
            return () -> tell(appending);
        }
        List<Submission> before =
                active.stream().takeWhile(earlier -> earlier != submission).toList();
        return () -> Futures.whenDone(
                Futures.begin(() -> WriteBack.allDone(before)
                        .thenCompose(done -> appending.size().get())),
                (size, thrown) -> {
                    sized(appending, size, thrown);
                    writes.drain();
                });
    }

    private void sized(Turn.Appending appending, Long size, Throwable thrown) {
        Submission submission = appending.submission();
        synchronized (writes) {
            placing = false;
            if (thrown == null) {
                long at = end.answerInOrder(appending.question(), size, submission.source.remaining());
                if (at != AppendEnd.UNKNOWN) { // else its turn comes again
                    submission.place(at);
                    unplaced--;
                }
            } else {
                end.drop(appending.question());
                unplaced--;
                submission.fail(thrown);
                becomesWriting(submission);
            }
        }
    }

    /** Tells the caller of an append its place; then the append goes on as any other write does. */
    private void tell(Turn.Appending appending) {
        Submission submission = appending.submission();
        Throwable thrown = null;
        try {
            appending.placed().accept(submission.start);
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        synchronized (writes) {
            placing = false;
            becomesWriting(submission);
            if (thrown != null) {
                submission.fail(thrown);
            }
        }
    }

    private void becomesWriting(Submission submission) {
        waiting.remove();
        waiting.addFirst(new Turn.Writing(submission));
    }

    /**
     * Reserves the place of an append that its caller writes by itself, which {@link #handedOver} ends once the data was
     * handed over.
     *
     * @param size asks the server for the size
     * @return the offset
     */
    CompletableFuture<Long> reserve(int length, Supplier<CompletableFuture<Long>> size) {
        AppendEnd.Question question;
        synchronized (writes) {
            long at = unplaced > 0 ? AppendEnd.UNKNOWN : end.reserve(length, !writes.isQuiet());
            if (at != AppendEnd.UNKNOWN) {
                return CompletableFuture.completedFuture(at);
            }
            question = end.ask();
        }
        CompletableFuture<Long> asked = Futures.begin(() -> writes.answered().thenCompose(done -> size.get()));
        return asked.handle((found, thrown) -> answer(question, length, found, thrown))
                .thenCompose(
                        at -> at == AppendEnd.UNKNOWN ? reserve(length, size) : CompletableFuture.completedFuture(at));
    }

    private long answer(AppendEnd.Question question, int length, Long found, Throwable thrown) {
        synchronized (writes) {
            if (thrown == null) {
                return end.answer(question, found, length);
            }
            end.drop(question);
        }
        throw new CompletionException(Futures.unwrap(thrown));
    }

    /** The data of a place that was reserved was handed over, or never will be. */
    void handedOver(long offset) {
        synchronized (writes) {
            end.handedOver(offset);
        }
    }
}
