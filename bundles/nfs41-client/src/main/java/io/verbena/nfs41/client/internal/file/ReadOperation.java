package io.verbena.nfs41.client.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BorrowingFuture;
import io.verbena.memory.BufferLease;
import io.verbena.nfs41.client.internal.compound.TransferTooLargeException;
import io.verbena.nfs41.client.internal.state.OpenState;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountMemory;
import io.verbena.rpc.PeerProtocolException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Fills one buffer from a file by READs of the negotiated size, several of them under way, directly into the buffer.
 * The thread that begins the read and the threads that bring the replies share this object.
 */
public final class ReadOperation {
    /** The most READs under way for one buffer. */
    public static final int WINDOW = 16;

    private static final String GIVEN_UP = "the read was given up";

    private final OpenState state;
    private final MountMemory memory;
    private final ByteBuffer destination;
    private final int start;
    private final int length;
    private final long position;
    private final IntSupplier rsize;
    private final BorrowingFuture<?> borrower;
    private final CompletableFuture<Integer> result = new CompletableFuture<>();
    /** A {@link Lock}, as the JIT compiler may remove the monitor of an object that only lambdas hold: decision 53. */
    private final Lock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int next;

    @GuardedBy("lock")
    private int end;

    @GuardedBy("lock")
    private int inFlight;

    @GuardedBy("lock")
    private Throwable failure;

    @GuardedBy("lock")
    private boolean finished;

    /**
     * @param range of the destination, whose position stays
     * @param position the offset of the range in the file
     * @param borrower the operation that this one is part of
     */
    public ReadOperation(
            OpenState state,
            MountMemory memory,
            ByteBuffer destination,
            Range range,
            long position,
            IntSupplier rsize,
            BorrowingFuture<?> borrower) {
        this.state = state;
        this.memory = memory;
        this.destination = destination;
        this.start = range.start();
        this.length = range.length();
        this.position = position;
        this.rsize = rsize;
        this.borrower = borrower;
        this.end = length;
    }

    /** A range of a buffer, in octets. */
    public record Range(int start, int length) {
        /** The range without its first octets. */
        public Range from(int octets) {
            return new Range(start + octets, length - octets);
        }
    }

    public CompletableFuture<Integer> start() {
        advance();
        return result;
    }

    private void advance() {
        while (true) {
            int from;
            int count;
            int most = rsize.getAsInt(); // without the lock, since the limit has its own
            lock.lock();
            try {
                if (failure == null && borrower.isGivenUp()) {
                    failure = new CancellationException(GIVEN_UP);
                }
                if (failure != null || next >= end || inFlight == WINDOW) {
                    break;
                }
                from = next;
                count = Math.min(most, end - from);
                next = from + count;
                inFlight++;
            } finally {
                lock.unlock();
            }
            read(from, count, 0);
        }
        finishIfDone();
    }

    /**
     * Reads octets by one READ, or by several where the path to the server carries no such large one any more.
     *
     * @param spentNanos what larger READs of them have spent of the time
     */
    private void read(int from, int count, long spentNanos) {
        int asked = Math.min(count, rsize.getAsInt());
        if (destination.isDirect()) {
            read(from, count, spentNanos, destination.slice(start + from, asked), null);
            return;
        }
        Futures.whenDoneElse(
                Futures.begin(() -> memory.request(asked)),
                (lease, thrown) -> {
                    if (thrown != null) {
                        arrived(from, count, 0, false, memory.meaning(thrown));
                    } else if (borrower.isGivenUp()) { // others wait for memory
                        lease.close();
                        arrived(from, count, 0, false, new CancellationException(GIVEN_UP));
                    } else {
                        read(from, count, spentNanos, lease.buffer(), lease);
                    }
                },
                thrown -> arrived(from, count, 0, false, thrown));
    }

    /** @param bounce the direct buffer behind the sink where the destination is on the heap, else null */
    private void read(int from, int count, long spentNanos, ByteBuffer sink, BufferLease bounce) {
        Futures.whenDoneElse(
                Futures.begin(() -> {
                    // memory of the mount is not waited for where the read is given up
                    ReadRequest request = new ReadRequest(state, position + from, sink, borrower, bounce == null);
                    request.spend(spentNanos);
                    return state.call(request);
                }),
                (read, thrown) -> {
                    if (thrown == null && bounce != null) {
                        borrower.use(() -> destination.put(start + from, sink, 0, read.count()));
                    }
                    ended(from, count, read, bounce, thrown);
                },
                thrown -> ended(from, count, null, bounce, thrown));
    }

    private void ended(int from, int wanted, ReadRequest.Outcome read, BufferLease bounce, Throwable thrown) {
        if (bounce != null) {
            bounce.close();
        }
        if (thrown instanceof TransferTooLargeException tooLarge) {
            read(from, wanted, tooLarge.spentNanos());
        } else if (thrown != null) {
            arrived(from, wanted, 0, false, thrown);
        } else {
            arrived(from, wanted, read.count(), read.eof(), null);
        }
    }

    private void arrived(int from, int wanted, int got, boolean eof, Throwable thrown) {
        boolean again = false;
        lock.lock();
        try {
            if (thrown != null) {
                failure = failure == null ? thrown : failure;
            } else if (eof) {
                end = Math.min(end, from + got);
            } else if (got == 0) {
                failure = new PeerProtocolException(
                        "the server read nothing of " + state.path() + " before its end (RFC 8881 section 18.22)",
                        null);
            } else if (got < wanted && from + got < end) {
                again = true;
            }
            if (!again) {
                inFlight--;
            }
        } finally {
            lock.unlock();
        }
        if (again) {
            read(from + got, wanted - got, 0);
        } else {
            advance();
        }
    }

    private void finishIfDone() {
        Throwable thrown;
        int filled;
        lock.lock();
        try {
            if (inFlight > 0 || finished || (failure == null && next < end)) {
                return;
            }
            // checked here: once the result is complete, the owner may reuse the destination
            finished = true;
            thrown = failure;
            filled = end;
        } finally {
            lock.unlock();
        }
        if (thrown != null) {
            Futures.fail(result, thrown);
            return;
        }
        int count = filled == 0 && length > 0 ? -1 : filled;
        Futures.complete(result, count, null);
    }
}
