package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountMemory;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write-back of one file of a mount. It orders the writes of all opens of the file by the order of the calls.
 * Chunks of the writes are sent in parallel, but a chunk that overlaps an earlier one waits for the answer to that one.
 * A change of the whole file ({@link #exclusively}) waits for all earlier calls and holds up all later ones. The memory
 * is bounded: a call that finds no room waits for a COMMIT. {@link CommitTracker} keeps the data until it is on stable
 * storage. Thread safe.
 */
public final class WriteBack {
    private static final Logger LOG = LoggerFactory.getLogger(WriteBack.class);
    private static final long MAX_RETAINED = 64L << 20;

    private final FileHandle file;
    private final PendingFiles pending;
    private final IntSupplier wsize;
    private final SteadyLooks looks;
    private final CommitTracker commits;
    private final WriteWaits waits;
    /** The pending calls of {@link #drain}. One thread at a time drains, so that completions do not nest. */
    private final AtomicInteger draining = new AtomicInteger();

    @GuardedBy("this")
    private final UncommittedBlocks retained;

    /** The calls that are not sent completely, in the order of the calls. */
    @GuardedBy("this")
    private final Deque<OrderedCall> waiting = new ArrayDeque<>();

    /** The writes with unanswered chunks, in the order of the calls. */
    @GuardedBy("this")
    private final Set<SubmittedWrite> active = new LinkedHashSet<>();

    private final WriteBlockSender chunks;

    @GuardedBy("this")
    private final AppendQueue appends = new AppendQueue(this, waiting, active);

    @GuardedBy("this")
    private final Set<OrderedCall.Changing<?>> exclusives = new LinkedHashSet<>();

    private final WriteCoalescer coalescer;

    @GuardedBy("this")
    private boolean exclusive;

    /** Whether memory is short and no COMMIT was begun for it since. */
    @GuardedBy("this")
    private boolean isPressed;

    /** Whether this object is in {@link PendingFiles}, as it always is where {@link #isPending} is true. */
    @GuardedBy("this")
    private boolean isListed;

    /**
     * @param pending the files of the mount that may be pending; this object adds itself
     * @param wsize the most octets of a WRITE
     */
    public WriteBack(FileHandle file, PendingFiles pending, MountMemory memory, IntSupplier wsize, SteadyLooks looks) {
        this(file, pending, memory, wsize, looks, MAX_RETAINED);
    }

    /**
     * @param maxRetained the most octets of buffers to keep
     */
    WriteBack(
            FileHandle file,
            PendingFiles pending,
            MountMemory memory,
            IntSupplier wsize,
            SteadyLooks looks,
            long maxRetained) {
        this.file = file;
        this.pending = pending;
        this.wsize = wsize;
        this.looks = looks;
        this.retained = new UncommittedBlocks();
        this.commits = new CommitTracker(this, retained);
        this.chunks = new WriteBlockSender(this, new WriteMemory(memory, this), wsize, maxRetained, retained, commits);
        this.coalescer = new WriteCoalescer(this, memory, wsize);
        this.waits = new WriteWaits(this, commits, retained, active, exclusives);
    }

    /** Writes all octets of {@code source}: see {@link OpenWriter#write}. */
    SubmittedWrite write(OpenWriter writer, ByteBuffer source, long position) throws ClosedChannelException {
        return submitted(new SubmittedWrite(writer, source, position));
    }

    /** Writes all octets of a lease, which this object takes over: see {@link OpenWriter#write}. */
    SubmittedWrite write(OpenWriter writer, BufferLease source, long position) throws ClosedChannelException {
        SubmittedWrite submission = new SubmittedWrite(writer, source.buffer(), position);
        submission.memory = new SharedLease(source);
        return submitted(submission);
    }

    private SubmittedWrite submitted(SubmittedWrite submission) throws ClosedChannelException {
        synchronized (this) {
            submission.writer.requireNotSealed();
            list();
            coalescer.pushIfOverlapping(submission.start, submission.end);
            submit(submission);
        }
        drain();
        return submission;
    }

    @GuardedBy("this")
    void submit(SubmittedWrite submission) {
        appends.wrote(submission.end);
        active.add(submission);
        waiting.add(new OrderedCall.Writing(submission));
    }

    /**
     * Collects consecutive octets for one WRITE: see {@link WriteCoalescer}. Takes at most as many octets from the
     * source as the WRITE has room for.
     *
     * @return completes when the server has answered the WRITE; null where nothing was done, as there is no memory for
     *     it or the file is being closed
     */
    public CompletableFuture<Void> writeBehind(OpenWriter writer, ByteBuffer source, long position) {
        CompletableFuture<Void> written;
        boolean due;
        synchronized (this) {
            if (writer.isSealed()) {
                return null;
            }
            list();
            written = coalescer.collect(writer, source, position, 1);
            due = !waiting.isEmpty();
        }
        if (due) {
            drain();
        }
        return written;
    }

    /**
     * Appends all of {@code source} at the end of the file.
     *
     * @throws ClosedChannelException where the file is being closed
     */
    public SubmittedWrite append(
            OpenWriter writer, ByteBuffer source, LongConsumer placed, Supplier<CompletableFuture<Long>> size)
            throws ClosedChannelException {
        SubmittedWrite append = new SubmittedWrite(writer, source, SubmittedWrite.NOWHERE);
        synchronized (this) {
            writer.requireNotSealed();
            list();
            coalescer.push();
            appends.add(append, placed, size);
        }
        drain();
        return append;
    }

    /**
     * Collects an append for one WRITE with the appends that follow, where its offset is known and it fits into one
     * WRITE.
     *
     * @param onCollected gets a future that completes when the server has answered the WRITE
     * @return its offset, or {@link SubmittedWrite#NOWHERE} where nothing was done
     */
    public long appendBehind(OpenWriter writer, ByteBuffer source, Consumer<CompletableFuture<Void>> onCollected) {
        CompletableFuture<Void> written;
        long at;
        boolean due;
        synchronized (this) {
            boolean fits = source.remaining() <= wsize.getAsInt();
            at = fits && !writer.isSealed() ? appends.place() : SubmittedWrite.NOWHERE;
            if (at == SubmittedWrite.NOWHERE) {
                return at;
            }
            list();
            written = coalescer.collect(writer, source, at, source.remaining());
            if (written == null) {
                return SubmittedWrite.NOWHERE;
            }
            due = !waiting.isEmpty();
        }
        if (due) {
            drain();
        }
        onCollected.accept(written);
        return at;
    }

    /** The caller of a write has stopped waiting: its buffer is not touched from now on. */
    public void leave(SubmittedWrite submission) {
        synchronized (this) {
            submission.leave();
        }
        drain();
    }

    /** Sends the collected octets. Does not wait. */
    public void push() {
        synchronized (this) {
            coalescer.push();
        }
        drain();
    }

    /**
     * Runs a change of the whole file, as of its size. The change begins when all earlier writes are on stable storage,
     * so that none of them is sent again after it. Later calls wait for its end.
     */
    public <T> CompletableFuture<T> exclusively(Supplier<CompletableFuture<T>> change) {
        OrderedCall.Changing<T> turn = new OrderedCall.Changing<>(change, new CompletableFuture<>());
        synchronized (this) {
            list();
            coalescer.push();
            exclusives.add(turn);
            waiting.add(turn);
        }
        drain();
        return turn.done();
    }

    /**
     * Does all steps that can be done now. One thread drains; calls of other threads make it drain once more. A
     * Throwable of a step ends the call that the step was for, and the loop goes on. Throws nothing.
     */
    void drain() {
        if (draining.getAndIncrement() > 0) {
            return; // the draining thread sees the change
        }
        int seen = 1;
        do {
            boolean more;
            do {
                more = step();
            } while (more);
            seen = draining.addAndGet(-seen);
        } while (seen > 0);
    }

    /** Does one step. False where no step can be done. */
    private boolean step() {
        Runnable next = null;
        try {
            next = next();
            if (isCommitDue(next == null)) {
                commit();
            }
        } catch (Throwable e) {
            if (next == null) {
                return failHead(e);
            }
        }
        if (next != null) {
            run(next);
        }
        return next != null;
    }

    /** Runs a step, which ends its call whatever is thrown. What it throws is of a continuation of the call. */
    private static void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            LOG.warn("a step of a write failed: {}", e, e);
        }
    }

    private void commit() {
        try {
            CompletableFuture<Void> unused = commits.commit();
        } catch (Throwable e) {
            room(e); // there will be no room
        }
    }

    /** The call at the head of the queue could not begin, and fails. False where the queue is empty. */
    private boolean failHead(Throwable why) {
        OrderedCall head;
        synchronized (this) {
            head = waiting.peek();
            if (head instanceof OrderedCall.Writing writing) {
                writing.submission().fail(why);
            } else if (head instanceof OrderedCall.Appending appending) {
                appending.submission().fail(why);
            } else if (head instanceof OrderedCall.Changing<?> changing) {
                waiting.remove();
                exclusives.remove(changing);
            }
        }
        if (head instanceof OrderedCall.Changing<?> changing) {
            Futures.fail(changing.done(), why);
        }
        return head != null;
    }

    /**
     * Whether a call waits for room that a COMMIT makes, or will soon wait.
     *
     * @param stuck whether nothing can be sent
     */
    private synchronized boolean isCommitDue(boolean stuck) {
        boolean wantsRoom =
                stuck && waiting.peek() instanceof OrderedCall.Writing && !exclusive && !commits.isReplaying();
        boolean due = chunks.takeHalfFull() || wantsRoom;
        if (isPressed && retained.hasAcknowledged()) {
            isPressed = false;
            due = true;
        }
        return due;
    }

    private synchronized Runnable next() {
        Runnable free = chunks.nextReady();
        if (free != null) {
            return free;
        }
        OrderedCall head = waiting.peek();
        if (head == null) {
            chunks.nothingWaits();
        }
        if (head == null || exclusive || appends.isPlacing() || commits.isReplaying()) {
            return null;
        }
        if (head instanceof OrderedCall.Appending appending) {
            return appends.begin(appending);
        }
        return head instanceof OrderedCall.Changing<?> turn
                ? begin(turn)
                : admit(((OrderedCall.Writing) head).submission());
    }

    @GuardedBy("this")
    private Runnable begin(OrderedCall.Changing<?> turn) {
        boolean isFirst = active.stream().allMatch(WriteBack::isWaiting);
        if (!isFirst) {
            return null; // the next answer drains again
        }
        Runnable step = () -> change(turn);
        waiting.remove();
        exclusive = true;
        return step;
    }

    /** Whether no octet of a write was sent. */
    static boolean isWaiting(SubmittedWrite submission) {
        return !submission.allSent && submission.position == submission.start && submission.outstanding == 0;
    }

    private <T> void change(OrderedCall.Changing<T> turn) {
        CompletableFuture<T> changed = Futures.begin(
                () -> commits.until(order()).thenCompose(safe -> turn.change().get()));
        Futures.whenDoneElse(
                changed, (value, thrown) -> changed(turn, value, thrown), thrown -> changed(turn, null, thrown));
    }

    private <T> void changed(OrderedCall.Changing<T> turn, T value, Throwable thrown) {
        synchronized (this) {
            exclusive = false;
            exclusives.remove(turn);
            appends.forgetSize();
        }
        Futures.complete(turn.done(), value, thrown);
        drain();
    }

    /** The next piece of a submission, or its end where nothing is left of it; null where it has to wait. */
    @GuardedBy("this")
    private Runnable admit(SubmittedWrite submission) {
        if (submission.source.hasRemaining() && submission.thrown == null) {
            return chunks.admit(submission, waiting);
        }
        Runnable finish = () -> {
            submission.taken.complete(null);
            finishIfDone(submission);
        };
        waiting.remove();
        submission.allIsSent();
        return finish;
    }

    /** The order of the next chunk: all chunks so far have a lower one. */
    synchronized long order() {
        return chunks.nextOrder();
    }

    /**
     * Completes a write once all of it is sent and answered. The last write that ends sends what was collected, so that
     * octets are collected for no longer than an answer takes.
     */
    void finishIfDone(SubmittedWrite submission) {
        Throwable thrown;
        synchronized (this) {
            if (!submission.allSent || submission.outstanding > 0 || !active.remove(submission)) {
                return;
            }
            thrown = submission.thrown;
            if (active.isEmpty()) {
                coalescer.push();
            }
        }
        Futures.complete(submission.done, null, thrown);
    }

    /** There may be room for the waiting writes. Where a COMMIT has failed, they fail too. */
    void room(Throwable thrown) {
        if (thrown != null) {
            synchronized (this) {
                for (OrderedCall turn : waiting) {
                    if (turn instanceof OrderedCall.Writing writing) {
                        writing.submission().fail(thrown);
                    }
                }
            }
        }
        drain();
    }

    /** Memory is short: sends the collected octets, and commits as soon as writes are answered. */
    public void giveBack() {
        synchronized (this) {
            isPressed = retained.bytes() > 0 || !coalescer.isEmpty();
            if (!isPressed) {
                return;
            }
            coalescer.push();
        }
        drain();
    }

    /** The most octets of a WRITE. */
    int wsize() {
        return wsize.getAsInt();
    }

    public FileHandle file() {
        return file;
    }

    public WriteWaits waits() {
        return waits;
    }

    public SteadyLooks looks() {
        return looks;
    }

    /** Whether no call is under way and no octet collected. */
    synchronized boolean isIdle() {
        return coalescer.isEmpty() && active.isEmpty() && exclusives.isEmpty();
    }

    /** Whether the server has answered all writes, and has not restarted since. */
    synchronized boolean isQuiet() {
        return isIdle() && !commits.isReplaying() && !waits.isDoubtful();
    }

    /** Whether a change of the whole file is under way or waits. */
    synchronized boolean isChanging() {
        return !exclusives.isEmpty();
    }

    WriteCoalescer coalescer() {
        return coalescer;
    }

    /** Whether any write is under way, or not on stable storage. */
    public synchronized boolean isPending() {
        return !isQuiet() || retained.bytes() > 0;
    }

    /** Every call that makes the file pending lists the file first, within the same hold of the monitor. */
    @GuardedBy("this")
    private void list() {
        if (!isListed) {
            pending.add(this);
            isListed = true;
        }
    }

    /** Whether the file is pending; a file that is not leaves {@link PendingFiles}. */
    synchronized boolean staysListed() {
        boolean stays = isPending();
        if (!stays && isListed) {
            pending.remove(this);
            isListed = false;
        }
        return stays;
    }

    /** Others may have changed the file: the size is asked for again. */
    public synchronized void forgetSize() {
        appends.forgetSize();
    }

    /** Whether a write has no answer yet to all of its pieces. */
    synchronized boolean hasActive() {
        return !active.isEmpty();
    }

    /** Octets up to that offset were collected to be written. */
    synchronized void collected(long end) {
        appends.wrote(end);
    }

    /** The octets of all buffers that are kept. */
    public synchronized long retainedBytes() {
        return retained.bytes();
    }

    /**
     * Gives up the kept data of a range that could not be brought to stable storage: others may write there from now
     * on, and writing it again would undo what they write. Its writers are told. Never fails.
     *
     * @param to the offset behind the last octet
     * @param why why the data is not safe
     */
    public CompletableFuture<Void> giveUp(long from, long to, Throwable why) {
        return commits.giveUp(chunk -> chunk.overlaps(from, to), why);
    }

    /** As {@link #giveUp(long, long, Throwable)}, of the kept data of one open. */
    public CompletableFuture<Void> giveUp(OpenWriter writer, Throwable why) {
        return commits.giveUp(chunk -> chunk.writer() == writer, why);
    }

    /** Drops the kept data of an open that is being closed, after nothing more can be done for the data. */
    public synchronized void drop(OpenWriter writer) {
        for (WriteBlock chunk : retained.ended()) {
            if (chunk.writer() == writer) {
                retained.release(chunk);
            }
        }
    }
}
