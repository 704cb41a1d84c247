package io.verbena.nfs41.client.internal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
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
    private final WriteWaits waits;
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
        this.waits = new WriteWaits(this, commits, retained, active, exclusives);
    }

    /** Writes all of {@code source}: see {@link Writer#write}. */
    Submission write(Writer writer, ByteBuffer source, long position) {
        Submission submission = new Submission(writer, source, position, false);
        synchronized (this) {
            if (filling != null && filling.submission().overlaps(submission.start, submission.end)) {
                pushFilling();
            }
            submit(submission);
        }
        drain();
        return submission;
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
        CompletableFuture<Void> written;
        boolean due;
        synchronized (this) {
            written = collect(writer, source, position, 1);
            due = !waiting.isEmpty();
        }
        if (due) {
            drain();
        }
        return written;
    }

    /**
     * @param length the least to take
     */
    private CompletableFuture<Void> collect(Writer writer, ByteBuffer source, long position, int length) {
        if (filling == null || !filling.continues(writer, position, length)) {
            ByteBuffer buffer = pool.take(wsize.getAsInt()); // before anything is changed: there may be no memory
            pushFilling();
            filling = new FillingBuffer(writer, buffer, position);
        }
        Submission collecting = filling.submission();
        filling.add(source);
        appends.wrote(collecting.end);
        if (filling.isFull() || active.isEmpty()) {
            pushFilling(); // what nobody waits behind goes out at once
        }
        return collecting.done;
    }

    /** Appends all of {@code source}: see {@link NfsFile#appendAsync}. */
    Submission append(Writer writer, ByteBuffer source, LongConsumer placed, Supplier<CompletableFuture<Long>> size) {
        Submission append = new Submission(writer, source, Submission.NOWHERE, false);
        synchronized (this) {
            pushFilling();
            appends.add(append, placed, size);
        }
        drain();
        return append;
    }

    /**
     * Collects an append for one WRITE with those that follow it, where its place is known and it fits into one.
     *
     * @param onCollected gets what completes when the server has answered the WRITE
     * @return its offset, or {@link Submission#NOWHERE} where nothing was done
     */
    long appendBehind(Writer writer, ByteBuffer source, Consumer<CompletableFuture<Void>> onCollected) {
        CompletableFuture<Void> written;
        long at;
        boolean due;
        synchronized (this) {
            at = source.remaining() > wsize.getAsInt() ? Submission.NOWHERE : appends.place();
            if (at == Submission.NOWHERE) {
                return at;
            }
            written = collect(writer, source, at, source.remaining());
            due = !waiting.isEmpty();
        }
        if (due) {
            drain();
        }
        onCollected.accept(written);
        return at;
    }

    /** Who called does not wait any more: its buffer is not touched from now on. */
    void leave(Submission submission) {
        synchronized (this) {
            submission.leave();
        }
        drain();
    }

    /** Sends what was collected, and does not wait. */
    void push() {
        synchronized (this) {
            pushFilling();
        }
        drain();
    }

    /** Called under the monitor, by who drains then. */
    void pushFilling() {
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
    static boolean isWaiting(Submission submission) {
        return !submission.allSent && submission.position == submission.start && submission.outstanding == 0;
    }

    private <T> void change(Turn.Changing<T> turn) {
        CompletableFuture<T> changed = Futures.begin(
                () -> commits.until(order()).thenCompose(safe -> turn.change().get()));
        Futures.whenDone(changed, (value, thrown) -> {
            synchronized (this) {
                exclusive = false;
                exclusives.remove(turn);
                appends.forgetSize();
            }
            Futures.complete(turn.done(), value, thrown);
            drain();
        });
    }

    /** Behind all that was sent so far. */
    synchronized long order() {
        return nextOrder;
    }

    /** The next piece of a submission, or null where it has to wait. */
    private Runnable admit(Submission submission) {
        ByteBuffer source = submission.source;
        if (!source.hasRemaining() || submission.thrown != null) {
            waiting.remove();
            submission.allSent = true;
            return () -> {
                submission.taken.complete(null);
                finishIfDone(submission);
            };
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
        boolean last = !source.hasRemaining();
        if (last) {
            waiting.remove();
            submission.allSent = true;
        }
        retained.add(chunk);
        halfFull |= retained.bytes() >= maxRetained / 2;
        commits.sent();
        boolean free = unanswered.add(chunk);
        return () -> {
            if (last) {
                submission.taken.complete(null);
            }
            if (free) {
                send(chunk);
            }
        };
    }

    private WriteChunk chunk(Submission submission, int length) {
        ByteBuffer source = submission.source;
        long at = submission.position;
        ByteBuffer data;
        if (submission.handedOver) {
            data = source.duplicate();
        } else {
            data = pool.take(length); // who called may be gone before the answer is there, with the buffer
            data.put(0, source, source.position(), length);
        }
        source.position(source.position() + length);
        return new WriteChunk(submission, at, data, nextOrder++);
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

    WriteWaits waits() {
        return waits;
    }

    /** Whether nothing that was called is on its way. */
    synchronized boolean isIdle() {
        return filling == null && active.isEmpty() && exclusives.isEmpty();
    }

    /** Whether the server has answered all that was written, and has not restarted since. */
    synchronized boolean isQuiet() {
        return isIdle() && !commits.isReplaying() && !waits.isDoubtful();
    }

    /** Whether the size or the like is being changed, or will be. */
    synchronized boolean isChanging() {
        return !exclusives.isEmpty();
    }

    /** Whether octets were collected that overlap a range. */
    boolean collects(long from, long to) {
        return filling != null && filling.submission().overlaps(from, to);
    }

    /** Whether anything is on its way, or kept until it is safe. */
    synchronized boolean isPending() {
        return !isQuiet() || retained.bytes() > 0;
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
