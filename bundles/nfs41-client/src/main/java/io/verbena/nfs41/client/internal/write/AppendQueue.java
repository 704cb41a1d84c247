package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.client.internal.util.Futures;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * The appends of one file. Each append gets its offset in the order of the calls, at the latest when it reaches the
 * head of the queue. While writes are under way, the client knows the end of the file; once no write is under way, or
 * the size may have changed otherwise, the client asks the server. Thread safe; its monitor is that of {@link
 * WriteBack}.
 */
final class AppendQueue {
    private final WriteBack writes;

    @GuardedBy("writes")
    private final Deque<OrderedCall> waiting;

    @GuardedBy("writes")
    private final Set<SubmittedWrite> active;

    /** The end of the file after all calls so far, or {@link SubmittedWrite#NOWHERE}. */
    @GuardedBy("writes")
    private long end = SubmittedWrite.NOWHERE;

    /** Whether the append at the head of the queue is getting its offset. */
    @GuardedBy("writes")
    private boolean placing;

    /** The appends without an offset, in the order of the calls. */
    @GuardedBy("writes")
    private final Set<SubmittedWrite> unplaced = new LinkedHashSet<>();

    /**
     * @param waiting the calls that wait in order
     * @param active the writes without an answer, in the order of the calls
     */
    AppendQueue(WriteBack writes, Deque<OrderedCall> waiting, Set<SubmittedWrite> active) {
        this.writes = writes;
        this.waiting = waiting;
        this.active = active;
    }

    /** Whether an append is getting its offset, so that no other call may begin. */
    boolean isPlacing() {
        synchronized (writes) {
            return placing;
        }
    }

    /** Octets up to that offset were written. */
    void wrote(long offset) {
        synchronized (writes) {
            if (end != SubmittedWrite.NOWHERE) {
                end = Math.max(end, offset);
            }
            unplaced.forEach(append -> append.writtenBehind = Math.max(append.writtenBehind, offset));
        }
    }

    /** The size was set, or others may have changed the file. */
    void forgetSize() {
        synchronized (writes) {
            end = SubmittedWrite.NOWHERE;
        }
    }

    /**
     * The offset of an append that is called now. {@link SubmittedWrite#NOWHERE} where the offset is known only later:
     * behind an append without an offset, behind a change of the size, and where the server has to be asked.
     */
    long place() {
        synchronized (writes) {
            if (writes.isIdle()) {
                end = SubmittedWrite.NOWHERE; // others may have written
            }
            return unplaced.isEmpty() && !writes.isChanging() ? end : SubmittedWrite.NOWHERE;
        }
    }

    /** Puts an append into the queue. */
    void add(SubmittedWrite append, LongConsumer placed, Supplier<CompletableFuture<Long>> size) {
        synchronized (writes) {
            long at = place();
            if (at == SubmittedWrite.NOWHERE) {
                unplaced.add(append);
            } else {
                append.place(at);
                wrote(append.end);
            }
            active.add(append);
            waiting.add(new OrderedCall.Appending(append, placed, size));
        }
    }

    /**
     * Begins the append at the head of the queue: tells the caller its offset, after asking the server where needed.
     *
     * @return the step to run outside of the monitor
     */
    Runnable begin(OrderedCall.Appending appending) {
        synchronized (writes) {
            SubmittedWrite append = appending.submission();
            Runnable step = append.thrown != null || append.start != SubmittedWrite.NOWHERE
                    ? () -> tell(appending)
                    : askingFor(appending);
            placing = true; // the step is there
            return step;
        }
    }

    @GuardedBy("writes")
    private Runnable askingFor(OrderedCall.Appending appending) {
        SubmittedWrite append = appending.submission();
        List<SubmittedWrite> before =
                active.stream().takeWhile(earlier -> earlier != append).toList();
        return () -> {
            try {
                Futures.whenDoneElse(
                        Futures.begin(() -> WriteWaits.allDone(before).thenCompose(done -> size(appending))),
                        (size, thrown) -> sized(append, size, thrown),
                        thrown -> sized(append, null, thrown));
            } catch (Throwable e) { // no memory for the continuations
                sized(append, null, e);
            }
        };
    }

    /**
     * The size after the writes so far. Asks again where the server restarts meanwhile: it may have lost some of the
     * writes.
     */
    private CompletableFuture<Long> size(OrderedCall.Appending appending) {
        WriteWaits waits = writes.waits();
        return writes.looks().look(waits::restarts, () -> waits.certain()
                .thenCompose(done -> appending.size().get()));
    }

    /** The size is known, or asking has failed: the append begins again with its offset or its failure. */
    private void sized(SubmittedWrite append, Long size, Throwable thrown) {
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
        writes.drain();
    }

    /** Tells the caller of an append its offset. The append then goes on as any other write. */
    private void tell(OrderedCall.Appending appending) {
        SubmittedWrite append = appending.submission();
        Throwable thrown = null;
        OrderedCall.Writing writing = appending.placedWrite();
        try {
            if (append.start != SubmittedWrite.NOWHERE) {
                appending.placed().accept(append.start);
            }
        } catch (Throwable e) { // the caller's own
            thrown = e;
        }
        synchronized (writes) {
            placing = false;
            unplaced.remove(append);
            waiting.remove();
            waiting.addFirst(writing); // into the place of the other
            if (thrown != null) {
                append.fail(thrown);
            }
        }
    }
}
