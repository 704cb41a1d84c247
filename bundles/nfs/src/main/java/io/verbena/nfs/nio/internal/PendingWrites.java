package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a channel writes, on its way to the server. Small writes that follow one another are sent together: the first at
 * once, those that come while it is under way when it is answered, or as soon as they are many. So nothing lies here for
 * longer than an answer takes, and the more is written, the larger the requests are.
 *
 * <p>Where the mount can be replaced, all is kept until it is on stable storage, and written again to the file as it is
 * opened again. What is written is cut into pieces, in the order of the writes; of two that overlap the later is sent
 * when the earlier was answered. All go through one open file: what goes through the next comes after what is to be
 * written again there. Thread safe.
 */
final class PendingWrites {
    private static final int WINDOW = 8;
    private static final long MAX_KEPT = 16L << 20;

    private final OpenFile file;
    private final boolean keeps;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private final AtomicInteger underWay = new AtomicInteger();
    /** What the pieces go through, where there are any. */
    private RemoteFile via;
    /** What failed for somebody else who waited: who wrote it is to be told. */
    private IOException owed;
    /** The pieces lie between these two, so that who writes elsewhere does not wait for the lock. */
    private volatile long low = Long.MAX_VALUE;

    private volatile long high = Long.MIN_VALUE;
    /** The last of the pieces, where it has not been sent. */
    private volatile Piece filling;
    /** Whether a piece may not be on the server. */
    private volatile boolean pending;
    /** Whether a piece is to be sent again before any other is sent. */
    private volatile boolean failed;

    PendingWrites(OpenFile file) {
        this.file = file;
        this.keeps = file.isReplaceable();
    }

    boolean isPending() {
        return pending;
    }

    /** Whether nothing is kept, neither to be sent nor to be sent again, and no failure is left to be told. */
    boolean isEmpty() {
        lock.lock();
        try {
            return pieces.isEmpty() && owed == null;
        } finally {
            unlock();
        }
    }

    /** Where what is pending ends, or -1 where nothing is. */
    long end() {
        lock.lock();
        try {
            return pending ? pieces.getLast().end() : -1;
        } finally {
            unlock();
        }
    }

    /** Takes all of the buffer; the failure of an earlier write is thrown here. */
    void write(ByteBuffer source, long position) throws IOException {
        lock.lock();
        try {
            tellOwed();
            if (!pieces.isEmpty() && pieces.getLast().end() != position) {
                flushLocked();
            }
            long at = position;
            while (source.hasRemaining()) {
                if (failed || filling == null) {
                    makeRoom();
                    begin(at, source.remaining());
                }
                Piece piece = filling;
                int count = Math.min(source.remaining(), piece.room());
                piece.add(source, count);
                high = Math.max(high, piece.end());
                at += count;
                if (piece.room() == 0 || underWay.get() == 0) {
                    sendFilling();
                }
            }
        } finally {
            file.shared().changed();
            unlock();
        }
    }

    private void begin(long position, int length) {
        if (pieces.isEmpty()) {
            via = file.now();
        }
        Piece piece = new Piece(position, length);
        pieces.add(piece);
        low = Math.min(low, position);
        pending = true;
        filling = piece;
    }

    /** Waits until there are few enough requests under way, and few enough octets kept. */
    private void makeRoom() throws IOException {
        if (keeps && room() >= MAX_KEPT) {
            syncLocked();
        }
        while (!failed && underWay.get() >= WINDOW) {
            awaitOldest();
        }
        if (failed) {
            flushLocked();
        }
        if (!keeps) {
            pieces.removeIf(Piece::isAnswered);
        }
    }

    /** The memory that the pieces take, however little is in them. */
    private long room() {
        long room = 0;
        for (Piece piece : pieces) {
            room += piece.memory();
        }
        return room;
    }

    private void awaitOldest() throws InterruptedIOException {
        for (Piece piece : pieces) {
            if (piece.isUnderWay()) {
                IOException unused = piece.failure(); // which flush tells
                return;
            }
        }
    }

    private void sendFilling() {
        Piece piece = filling;
        if (piece != null) {
            filling = null;
            send(piece);
        }
    }

    private void send(Piece piece) {
        underWay.incrementAndGet();
        CompletableFuture<Void> reply;
        try {
            reply = via.writeAsync(piece.content(), piece.position());
        } catch (RuntimeException e) {
            reply = CompletableFuture.failedFuture(e);
        }
        piece.sent(reply.whenComplete((done, thrown) -> {
            if (thrown != null) {
                failed = true;
            }
            underWay.decrementAndGet();
            kick();
        }));
    }

    /** Sends what has been collected where nothing is under way any more. Does not wait, on no thread. */
    private void kick() {
        while (underWay.get() == 0 && filling != null && !failed && lock.tryLock()) {
            try {
                if (underWay.get() == 0 && !failed) {
                    sendFilling();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Who came while the lock was held has not waited. */
    private void unlock() {
        lock.unlock();
        kick();
    }

    /** Waits until the server has all. */
    void flush() throws IOException {
        lock.lock();
        try {
            flushLocked();
            tellOwed();
        } finally {
            unlock();
        }
    }

    /** As {@link #flush}, for somebody else than who wrote it. */
    void flushForOthers() throws IOException {
        lock.lock();
        try {
            flushLocked();
        } catch (IOException e) {
            owe(e);
            throw e;
        } finally {
            unlock();
        }
    }

    /** Before somebody else changes the file between two positions: what was written there must not come later. */
    void precede(long from, long to) throws IOException {
        if (to <= low || from >= high) {
            return;
        }
        lock.lock();
        try {
            if (pieces.stream().anyMatch(piece -> piece.position() < to && piece.end() > from)) {
                if (keeps) {
                    syncLocked();
                } else {
                    flushLocked();
                }
            }
        } catch (IOException e) {
            owe(e);
            throw e;
        } finally {
            unlock();
        }
    }

    private void owe(IOException failure) {
        boolean hasFailed = !(failure instanceof InterruptedIOException); // else somebody has only stopped waiting
        owed = hasFailed ? failure : owed;
    }

    private void tellOwed() throws IOException {
        IOException failure = owed;
        if (failure != null) {
            owed = null;
            throw Failures.again(failure);
        }
    }

    private void flushLocked() throws IOException {
        if (!failed) {
            sendFilling();
        }
        filling = null;
        IOException failure = settle();
        while (failure != null || (!pieces.isEmpty() && via != file.now())) {
            if (failure != null) {
                reopen(failure);
            }
            startAgain();
            failure = settle();
        }
        failed = false;
        pending = false;
        if (!keeps) {
            forgetAll();
        }
    }

    /** Waits for the answers; sends what is not sent in its turn. What the first that failed did so with, or null. */
    private IOException settle() throws InterruptedIOException {
        IOException first = null;
        for (Piece piece : pieces) {
            if (!piece.isSent()) {
                if (first != null) {
                    break;
                }
                send(piece);
            }
            IOException failure = piece.failure();
            first = first == null ? failure : first;
        }
        return first;
    }

    private void reopen(IOException failure) throws IOException {
        try {
            file.reopen(via, failure);
        } catch (InterruptedIOException e) {
            throw e; // who comes next tries again
        } catch (IOException | RuntimeException e) {
            // nothing can be done about it, and it is told: what the server has not taken is lost, and nothing else
            pieces.removeIf(piece -> !piece.isAnswered());
            failed = false;
            pending = false;
            throw e;
        }
    }

    /** All but what the mount that went has made safe is to be sent through the file as it is open now. */
    private void startAgain() {
        failed = true;
        if (!file.isUnsafe(via)) {
            pieces.removeIf(Piece::isAnswered);
        }
        pieces.forEach(Piece::unsent);
        via = file.now();
    }

    private void forgetAll() {
        pieces.clear();
        low = Long.MAX_VALUE;
        high = Long.MIN_VALUE;
        via = null;
    }

    /** Brings all to stable storage. */
    void sync() throws IOException {
        lock.lock();
        try {
            syncLocked();
            tellOwed();
        } finally {
            unlock();
        }
    }

    private void syncLocked() throws IOException {
        RemoteFile unused = file.call(present -> {
            flushLocked();
            // not another one, opened since, which knows nothing of what went through this one
            RemoteFile current = pieces.isEmpty() ? file.now() : via;
            current.sync();
            return current;
        });
        forgetAll();
    }
}
