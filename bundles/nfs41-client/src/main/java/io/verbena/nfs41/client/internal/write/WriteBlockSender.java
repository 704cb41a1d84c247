package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.nfs41.client.internal.util.Futures;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Cuts the writes of one file into chunks of at most {@code wsize} octets and sends each by a WRITE. Chunks are sent in
 * parallel; a chunk that overlaps an earlier one is held back until the server has answered that one. Thread safe; its
 * monitor is that of {@link WriteBack}.
 */
final class WriteBlockSender {
    private final WriteBack writes;

    @GuardedBy("writes")
    private final WriteMemory room;

    private final IntSupplier wsize;
    private final long maxRetained;

    @GuardedBy("writes")
    private final UncommittedBlocks retained;

    private final CommitTracker commits;

    @GuardedBy("writes")
    private final UnansweredBlocks unanswered = new UnansweredBlocks();

    /** Chunks that were held back and can be sent. */
    @GuardedBy("writes")
    private final Deque<WriteBlock> ready = new ArrayDeque<>();

    @GuardedBy("writes")
    private long nextOrder;

    /** Whether half of what may be kept was reached since this was last asked for. */
    @GuardedBy("writes")
    private boolean halfFull;

    /**
     * @param room the memory of chunks whose octets are copied
     * @param maxRetained the most octets of buffers to keep
     */
    WriteBlockSender(
            WriteBack writes,
            WriteMemory room,
            IntSupplier wsize,
            long maxRetained,
            UncommittedBlocks retained,
            CommitTracker commits) {
        this.writes = writes;
        this.room = room;
        this.wsize = wsize;
        this.maxRetained = maxRetained;
        this.retained = retained;
        this.commits = commits;
    }

    /** The order of the next chunk. */
    long nextOrder() {
        synchronized (writes) {
            return nextOrder;
        }
    }

    /** Sends a chunk that was held back, to be run outside of the monitor; null where there is none. */
    Runnable nextReady() {
        synchronized (writes) {
            WriteBlock free = ready.poll();
            return free == null ? null : () -> send(free);
        }
    }

    /** Whether half of what may be kept was reached since the last call, so that a COMMIT is due. */
    boolean takeHalfFull() {
        synchronized (writes) {
            boolean was = halfFull;
            halfFull = false;
            return was;
        }
    }

    /** No call waits: memory that is being waited for is not needed. */
    void nothingWaits() {
        synchronized (writes) {
            room.close();
        }
    }

    /**
     * Takes the next chunk of a write that has octets left.
     *
     * @param waiting the queue that the write heads, from which it is removed with its last chunk
     * @return sends the chunk, to be run outside of the monitor; null where the write has to wait for room
     */
    Runnable admit(SubmittedWrite submission, Deque<OrderedCall> waiting) {
        synchronized (writes) {
            ByteBuffer source = submission.source;
            int length = Math.min(source.remaining(), wsize.getAsInt());
            if (retained.bytes() > 0 && retained.bytes() + length > maxRetained) {
                return null;
            }
            WriteBlock chunk = chunk(submission, length);
            if (chunk == null) {
                return null; // its time comes with a lease
            }
            boolean last = length == source.remaining();
            Admission admission = new Admission(chunk, last);
            admission.isFree = add(chunk);
            // from here on nothing needs memory
            source.position(source.position() + length);
            submission.position += length;
            submission.outstanding++;
            submission.endOrder = nextOrder;
            if (last) {
                waiting.remove();
                submission.allIsSent();
            }
            halfFull |= retained.bytes() >= maxRetained / 2;
            commits.sent();
            return admission;
        }
    }

    /** Adds a chunk to the tables, or to none of them. */
    @GuardedBy("writes")
    private boolean add(WriteBlock chunk) {
        try {
            retained.add(chunk);
        } catch (Throwable e) {
            chunk.releaseMemory();
            throw e;
        }
        try {
            return unanswered.add(chunk);
        } catch (Throwable e) {
            unanswered.remove(chunk);
            retained.release(chunk);
            throw e;
        }
    }

    /** Sends a chunk that was admitted, unless it is held back. */
    private final class Admission implements Runnable {
        private final WriteBlock chunk;
        private final boolean isLast;
        private boolean isFree;

        Admission(WriteBlock chunk, boolean isLast) {
            this.chunk = chunk;
            this.isLast = isLast;
        }

        @Override
        public void run() {
            if (isLast) {
                chunk.submission().taken.complete(null);
            }
            if (isFree) {
                send(chunk);
            }
        }
    }

    /** The next octets of a submission; null where there is no memory now to copy them to. */
    @GuardedBy("writes")
    private WriteBlock chunk(SubmittedWrite submission, int length) {
        ByteBuffer source = submission.source;
        ByteBuffer data;
        SharedLease held;
        if (submission.memory != null) {
            data = source.slice(source.position(), length);
            held = submission.memory.use();
        } else {
            BufferLease lease = room.take(length);
            if (lease == null) {
                return null;
            }
            data = copy(source, lease, length); // the caller may leave, with its buffer, before the server answers
            held = new SharedLease(lease);
        }
        try {
            WriteBlock chunk = new WriteBlock(submission, submission.position, data, held, nextOrder);
            nextOrder++;
            return chunk;
        } catch (Throwable e) {
            held.release();
            throw e;
        }
    }

    private static ByteBuffer copy(ByteBuffer source, BufferLease lease, int length) {
        try {
            return lease.buffer().slice(0, length).put(0, source, source.position(), length);
        } catch (Throwable e) { // of the caller's buffer
            lease.close();
            throw e;
        }
    }

    private void send(WriteBlock chunk) {
        Futures.whenDoneElse(
                Futures.begin(() -> chunk.writer().calls().write(chunk)),
                (done, thrown) -> ended(chunk, thrown, true),
                thrown -> ended(chunk, thrown, false));
    }

    /**
     * The chunk has its answer, or will have none that is heard of. The counts are taken back before anything that may
     * throw. Has no effect on them the second time.
     *
     * @param known whether the call is over: if not, it may still read the memory, which stays until the file is closed
     */
    private void ended(WriteBlock chunk, Throwable thrown, boolean known) {
        SubmittedWrite submission = chunk.submission();
        boolean first = false;
        try {
            synchronized (writes) {
                first = chunk.endCall();
                if (first) {
                    submission.outstanding--;
                }
                if (thrown != null) {
                    submission.fail(thrown);
                }
                List<WriteBlock> free = new ArrayList<>(0);
                unanswered.answered(chunk, free);
                ready.addAll(free);
                if (!known) {
                    chunk.forget();
                } else if (thrown != null) {
                    retained.release(chunk);
                } else {
                    retained.releaseIfStable(chunk);
                }
            }
        } finally {
            if (first) {
                commits.answered();
            }
            writes.finishIfDone(submission);
            writes.drain();
        }
    }
}
