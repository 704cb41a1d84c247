package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.StableHow;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The writes of one file of a mount, by whatever open of it, in one order: the order of the calls. Pieces of them go out
 * side by side, but a piece that overlaps an earlier one waits for its answer, and what changes the file as a whole
 * ({@link #exclusively}) waits for all before it and holds up all behind it. Bounded: a call that finds no room waits for
 * a COMMIT. What the server has not made stable is kept by {@link Commits}. Thread safe.
 */
final class WriteBack {
    private static final long MAX_RETAINED = 64L << 20;

    private final BufferPool pool;
    private final IntSupplier wsize;
    private final long maxRetained;
    private final Commits commits;
    /** How often {@link #drain} was asked for: one thread at a time drains, so that no completion nests in another. */
    private final AtomicInteger draining = new AtomicInteger();

    // guarded by this
    private final RetainedChunks retained;
    private final UnansweredChunks unanswered = new UnansweredChunks();
    /** What has not been sent whole, in the order of the calls. */
    private final Deque<Turn> waiting = new ArrayDeque<>();
    /** Chunks that were held back and can be sent. */
    private final Deque<WriteChunk> ready = new ArrayDeque<>();
    /** Without an answer to all of their pieces, in the order of the calls. */
    private final Set<Submission> active = new LinkedHashSet<>();

    private final Appends appends = new Appends(this, waiting, active);
    private final Set<Turn.Changing<?>> exclusives = new LinkedHashSet<>();
    private FillingBuffer filling;
    private long nextOrder;
    private boolean exclusive;
    private boolean halfFull;
    /** What was written before this order the server may have forgotten: see {@link #doubt}. */
    private long doubtedUntil;

    private int restarts;

    /**
     * @param wsize the most octets of a WRITE
     */
    WriteBack(BufferPool pool, IntSupplier wsize) {
        this(pool, wsize, MAX_RETAINED);
    }

    /**
     * @param maxRetained the most octets of buffers to keep
     */
    WriteBack(BufferPool pool, IntSupplier wsize, long maxRetained) {
        this.pool = pool;
        this.wsize = wsize;
        this.maxRetained = maxRetained;
        this.retained = new RetainedChunks(pool);
        this.commits = new Commits(this, retained);
    }

    /** Writes all of {@code source}: see {@link Writer#write}. */
    CompletableFuture<Void> write(Writer writer, ByteBuffer source, long position) {
        if (!source.hasRemaining()) {
            return CompletableFuture.completedFuture(null);
        }
        Submission submission = new Submission(writer, source, position, false);
        synchronized (this) {
            if (filling != null && filling.submission().overlaps(submission.start, submission.end)) {
                pushFilling();
            }
            submit(submission);
        }
        drain();
        return submission.done;
    }

    private void submit(Submission submission) {
        appends.wrote(submission.end);
        active.add(submission);
        waiting.add(new Turn.Writing(submission));
    }

    /**
     * Collects octets that follow one another for one WRITE, which goes out when no other write is under way, when it is
     * full, or when somebody wants to know: at most as many octets as it has room for are taken from the source.
     *
     * @return complete when the server has answered the WRITE
     */
    CompletableFuture<Void> writeBehind(Writer writer, ByteBuffer source, long position) {
        FillingBuffer collecting;
        boolean push;
        synchronized (this) {
            push = filling != null && !filling.continues(writer, position);
            if (push) {
                pushFilling();
            }
            if (filling == null) {
                filling = new FillingBuffer(writer, pool.take(wsize.getAsInt()), position);
            }
            collecting = filling;
            collecting.add(source);
            appends.wrote(collecting.submission().end);
            if (collecting.isFull() || active.isEmpty()) {
                pushFilling(); // what nobody waits behind goes out at once
                push = true;
            }
        }
        if (push) {
            drain();
        }
        return collecting.submission().done;
    }

    /** Sends what was collected, and does not wait. */
    void push() {
        synchronized (this) {
            pushFilling();
        }
        drain();
    }

    private void pushFilling() {
        if (filling != null) {
            submit(filling.toSubmission(pool));
            filling = null;
        }
    }

    /**
     * A change of the file as a whole, as of its size: it begins when all writes called before are on stable storage, so
     * that none of them is written again behind it, and those called later wait for its end.
     */
    <T> CompletableFuture<T> exclusively(Supplier<CompletableFuture<T>> change) {
        Turn.Changing<T> turn = new Turn.Changing<>(change, new CompletableFuture<>());
        synchronized (this) {
            pushFilling();
            exclusives.add(turn);
            waiting.add(turn);
        }
        drain();
        return turn.done();
    }

    /** Does what can be done now. One thread does it; the others leave it to that one. */
    void drain() {
        if (draining.getAndIncrement() > 0) {
            return; // whoever drains sees what has changed
        }
        int seen = 1;
        do {
            Runnable step;
            do {
                step = next();
                if (isCommitDue(step == null)) {
                    CompletableFuture<Void> unused = commits.commit();
                }
                if (step != null) {
                    step.run();
                }
            } while (step != null);
            seen = draining.addAndGet(-seen);
        } while (seen > 0);
    }

    /**
     * Whether a call waits for the room that a COMMIT makes, or will soon have to.
     *
     * @param stuck whether nothing can be sent
     */
    private synchronized boolean isCommitDue(boolean stuck) {
        boolean wantsRoom = stuck && waiting.peek() instanceof Turn.Writing && !exclusive && !commits.isReplaying();
        boolean due = wantsRoom || halfFull;
        halfFull = false;
        return due;
    }

    private synchronized Runnable next() {
        WriteChunk free = ready.poll();
        if (free != null) {
            return () -> send(free);
        }
        Turn head = waiting.peek();
        if (head == null || exclusive || appends.isPlacing() || commits.isReplaying()) {
            return null;
        }
        if (head instanceof Turn.Appending appending) {
            return appends.begin(appending);
        }
        return head instanceof Turn.Changing<?> turn ? begin(turn) : admit(((Turn.Writing) head).submission());
    }

    private Runnable begin(Turn.Changing<?> turn) {
        boolean isFirst = active.stream().allMatch(WriteBack::isWaiting);
        if (!isFirst) {
            return null; // its time comes with an answer
        }
        waiting.remove();
        exclusive = true;
        return () -> change(turn);
    }

    /** Whether nothing of a submission was sent. Behind the head of the queue nothing was. */
    private static boolean isWaiting(Submission submission) {
        return !submission.allSent && submission.position == submission.start && submission.outstanding == 0;
    }

    private <T> void change(Turn.Changing<T> turn) {
        CompletableFuture<T> changed = Futures.begin(
                () -> commits.until(order()).thenCompose(safe -> turn.change().get()));
        Futures.whenDone(changed, (value, thrown) -> {
            synchronized (this) {
                exclusive = false;
                exclusives.remove(turn);
                appends.resized();
            }
            Futures.complete(turn.done(), value, thrown);
            drain();
        });
    }

    private synchronized long order() {
        return nextOrder;
    }

    /** The next piece of a submission, or null where it has to wait. */
    private Runnable admit(Submission submission) {
        ByteBuffer source = submission.source;
        if (!source.hasRemaining() || submission.thrown != null) {
            waiting.remove();
            submission.allSent = true;
            return () -> finishIfDone(submission);
        }
        int length = Math.min(source.remaining(), wsize.getAsInt());
        if (retained.bytes() > 0 && retained.bytes() + BufferPool.sizeOf(length) > maxRetained) {
            return null;
        }
        WriteChunk chunk;
        try {
            chunk = chunk(submission, length);
        } catch (RuntimeException | Error e) { // no memory: nothing was taken for it
            submission.fail(e);
            return () -> {};
        }
        submission.position += length;
        submission.outstanding++;
        submission.endOrder = nextOrder;
        if (!source.hasRemaining()) {
            waiting.remove();
            submission.allSent = true;
        }
        retained.add(chunk);
        halfFull |= retained.bytes() >= maxRetained / 2;
        commits.sent();
        return unanswered.add(chunk) ? () -> send(chunk) : () -> {};
    }

    private WriteChunk chunk(Submission submission, int length) {
        ByteBuffer source = submission.source;
        long at = submission.position;
        // what lies over something that may have to be written again is kept with it
        boolean inPlace = submission.writer.stable() != StableHow.UNSTABLE4
                && source.isDirect()
                && !retained.overlaps(at, at + length);
        ByteBuffer data;
        if (submission.handedOver) {
            data = source.duplicate();
        } else if (inPlace) {
            data = source.slice(source.position(), length);
        } else {
            data = pool.take(length);
            data.put(0, source, source.position(), length);
        }
        source.position(source.position() + length);
        return new WriteChunk(submission, at, data, submission.handedOver || !inPlace, nextOrder++);
    }

    private void send(WriteChunk chunk) {
        Futures.whenDone(Futures.begin(() -> chunk.writer().calls().write(chunk)), (done, thrown) -> {
            Submission submission = chunk.submission();
            synchronized (this) {
                List<WriteChunk> free = new ArrayList<>(0);
                unanswered.answered(chunk, free);
                ready.addAll(free);
                submission.outstanding--;
                if (thrown != null) {
                    submission.fail(thrown);
                    retained.release(chunk);
                } else {
                    retained.releaseIfStable(chunk);
                }
            }
            commits.answered();
            finishIfDone(submission);
            drain();
        });
    }

    private void finishIfDone(Submission submission) {
        Throwable thrown;
        synchronized (this) {
            if (!submission.allSent || submission.outstanding > 0 || !active.remove(submission)) {
                return;
            }
            thrown = submission.thrown;
            if (active.isEmpty()) {
                pushFilling(); // nothing lies here for longer than an answer takes
            }
        }
        Futures.complete(submission.done, null, thrown);
    }

    /** There may be room for those who wait, or, where a COMMIT has failed, there will never be. */
    void room(Throwable thrown) {
        if (thrown != null) {
            synchronized (this) {
                for (Turn turn : waiting) {
                    if (turn instanceof Turn.Writing writing) {
                        writing.submission().fail(thrown);
                    }
                }
            }
        }
        drain();
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
        push();
        return settle(submission -> !isWaiting(submission));
    }

    private CompletableFuture<Void> settle(Predicate<Submission> awaited) {
        List<Submission> writes;
        long mark;
        synchronized (this) {
            pushFilling();
            writes = active.stream().filter(awaited).toList();
            mark = nextOrder;
        }
        drain();
        if (writes.isEmpty()) {
            return commits.until(mark);
        }
        return allDone(writes).thenCompose(done -> commits.until(endOf(writes, mark)));
    }

    /** The order behind all of these writes, whose last pieces may have been sent since {@code mark}. */
    private synchronized long endOf(List<Submission> writes, long mark) {
        return writes.stream().mapToLong(submission -> submission.endOrder).reduce(mark, Math::max);
    }

    /** Complete once the server has answered all writes and changes so far, whatever became of them. */
    CompletableFuture<Void> answered() {
        return answered(0, Long.MAX_VALUE);
    }

    /**
     * Complete once the server has answered the writes so far that overlap a range, and the changes of the whole file,
     * and has again what it forgot by a restart.
     * Never fails: who wrote is told what failed.
     */
    CompletableFuture<Void> answered(long from, long to) {
        List<CompletableFuture<?>> awaited;
        long mark = 0;
        synchronized (this) {
            if (isQuiet()) {
                return CompletableFuture.completedFuture(null);
            }
            if (filling != null && filling.submission().overlaps(from, to)) {
                pushFilling();
            }
            awaited = futuresOf(active.stream()
                    .filter(submission -> submission.overlaps(from, to))
                    .toList());
            exclusives.forEach(turn -> awaited.add(turn.done()));
            if (commits.isReplaying()) {
                awaited.add(commits.running());
            }
            if (isDoubtful()) {
                mark = doubtedUntil;
            }
        }
        drain();
        if (mark > 0) {
            awaited.add(commits.until(mark));
        }
        return settled(awaited);
    }

    /** Whether the server has answered all that was written, and has not restarted since. */
    synchronized boolean isQuiet() {
        return filling == null && active.isEmpty() && exclusives.isEmpty() && !commits.isReplaying() && !isDoubtful();
    }

    private boolean isDoubtful() {
        return doubtedUntil > 0 && !retained.isSafeUntil(doubtedUntil, commits.isReplaying());
    }

    /**
     * The server has restarted, and may have forgotten what it answered and had not on stable storage. Until a COMMIT
     * shows that, and what was lost is written again, nobody may look: see {@link #answered}.
     */
    synchronized void doubt() {
        if (retained.bytes() > 0) {
            doubtedUntil = nextOrder;
            restarts++;
        }
    }

    /** How often the server may have forgotten something: who looked meanwhile may have seen that. */
    synchronized int restarts() {
        return restarts;
    }

    private static List<CompletableFuture<?>> futuresOf(List<Submission> writes) {
        List<CompletableFuture<?>> futures = new ArrayList<>(writes.size() + 1);
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

    /** Whether anything is on its way, or kept until it is safe. */
    synchronized boolean isPending() {
        return !isQuiet() || appends.isReserved() || retained.bytes() > 0;
    }

    /** Appends all of {@code source}: see {@link NfsFile#appendAsync}. */
    CompletableFuture<Long> append(
            Writer writer, ByteBuffer source, LongConsumer placed, Supplier<CompletableFuture<Long>> size) {
        Submission submission = new Submission(writer, source, AppendEnd.UNKNOWN, false);
        synchronized (this) {
            pushFilling();
            appends.add(submission, placed, size);
        }
        drain();
        return submission.done.thenApply(done -> submission.start);
    }

    Appends appends() {
        return appends;
    }

    /** Others may have changed the file. */
    synchronized void forgetSize() {
        appends.forgetSize();
    }

    /** Octets of the buffers that it keeps. */
    synchronized long retainedBytes() {
        return retained.bytes();
    }

    /** Forgets what it keeps of an open that is closed, when nothing more can be done for the data. */
    synchronized void drop(Writer writer) {
        for (WriteChunk chunk : retained.acknowledged()) {
            if (chunk.writer() == writer) {
                retained.release(chunk);
            }
        }
    }
}
