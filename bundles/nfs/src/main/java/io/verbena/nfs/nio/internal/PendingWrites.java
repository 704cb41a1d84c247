package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a channel writes, on its way to the server. Small writes that follow one another are sent together: the first at
 * once, those that come while it is under way when it is answered, or as soon as they are many. So nothing lies here for
 * longer than an answer takes, and the more is written, the larger the requests are.
 *
 * <p>Where the mount can be replaced, all is kept until it is on stable storage, and written again to the file as it is
 * opened again. What is written is cut into pieces, in the order of the writes; of two that overlap the later is sent
 * when the earlier was answered. Thread safe.
 */
final class PendingWrites {
    private static final int FIRST_SIZE = 8 << 10;
    private static final int PIECE = 256 << 10;
    private static final int WINDOW = 8;
    private static final long MAX_KEPT = 16L << 20;

    /** A piece of what was written. */
    private static final class Piece {
        private final long position;
        private byte[] octets;
        private int length;
        private RemoteFile via;
        private CompletableFuture<Void> reply;

        Piece(long position, int length) {
            this.position = position;
            this.octets = new byte[Math.min(PIECE, Math.max(FIRST_SIZE, length))];
        }

        long end() {
            return position + length;
        }

        void add(ByteBuffer source, int count) {
            if (length + count > octets.length) {
                octets = Arrays.copyOf(octets, Math.min(PIECE, Math.max(2 * octets.length, length + count)));
            }
            source.get(octets, length, count);
            length += count;
        }
    }

    private final OpenFile file;
    private final boolean keeps;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private long kept;
    /** The last of the pieces, where it has not been sent. */
    private volatile Piece filling;
    /** Whether a piece may not be on the server. */
    private volatile boolean pending;

    private volatile boolean failed;

    PendingWrites(OpenFile file) {
        this.file = file;
        this.keeps = file.isReplaceable();
    }

    boolean isPending() {
        return pending;
    }

    /** Whether nothing is kept, neither to be sent nor to be sent again. */
    boolean isEmpty() {
        lock.lock();
        try {
            return pieces.isEmpty();
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
            pending = true;
            long at = position;
            if (!pieces.isEmpty() && pieces.getLast().end() != at) {
                flushLocked();
                pending = true;
            }
            while (source.hasRemaining()) {
                Piece piece = filling;
                if (piece == null) {
                    makeRoom();
                    piece = new Piece(at, source.remaining());
                    pieces.add(piece);
                    filling = piece;
                }
                int count = Math.min(source.remaining(), PIECE - piece.length);
                piece.add(source, count);
                kept += count;
                at += count;
                if (piece.length == PIECE || underWay.get() == 0) {
                    sendFilling();
                }
            }
            file.shared().changed();
        } finally {
            unlock();
        }
    }

    /** Waits until there are few enough requests under way, and few enough octets kept. */
    private void makeRoom() throws IOException {
        if (keeps && kept >= MAX_KEPT) {
            syncLocked();
            pending = true;
        }
        while (underWay.get() >= WINDOW || failed) {
            settle(oldestUnderWay());
        }
        if (!keeps) {
            dropAnswered();
        }
    }

    private Piece oldestUnderWay() {
        for (Piece piece : pieces) {
            if (piece.reply != null && (!piece.reply.isDone() || piece.reply.isCompletedExceptionally())) {
                return piece;
            }
        }
        return null;
    }

    private void sendFilling() {
        Piece piece = filling;
        if (piece != null) {
            filling = null;
            send(piece);
        }
    }

    private void send(Piece piece) {
        RemoteFile present = file.now();
        piece.via = present;
        underWay.incrementAndGet();
        CompletableFuture<Void> reply;
        try {
            reply = present.writeAsync(ByteBuffer.wrap(piece.octets, 0, piece.length), piece.position);
        } catch (RuntimeException e) {
            underWay.decrementAndGet();
            throw e;
        }
        piece.reply = reply.whenComplete((done, thrown) -> {
            failed |= thrown != null;
            underWay.decrementAndGet();
            kick();
        });
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
        } finally {
            unlock();
        }
    }

    private void flushLocked() throws IOException {
        sendFilling();
        for (Piece piece = nextToSettle(); piece != null; piece = nextToSettle()) {
            settle(piece);
        }
        failed = false;
        if (!keeps) {
            dropAnswered();
        }
        pending = false;
    }

    /** The first that is not known to be on the server as it is there now. */
    private Piece nextToSettle() {
        RemoteFile present = file.now();
        Iterator<Piece> all = pieces.iterator();
        while (all.hasNext()) {
            Piece piece = all.next();
            boolean answered = piece.reply.isDone() && !piece.reply.isCompletedExceptionally();
            if (!answered || (piece.via != present && file.isUnsafe(piece.via))) {
                return piece;
            }
            if (piece.via != present) {
                all.remove(); // the mount that went has made it safe
                kept -= piece.length;
            }
        }
        return null;
    }

    private void settle(Piece piece) throws IOException {
        if (piece == null) {
            failed = false;
            return;
        }
        if (piece.reply.isDone() && !piece.reply.isCompletedExceptionally() && piece.via != file.now()) {
            send(piece);
        }
        try {
            await(piece.reply);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            try {
                file.reopen(piece.via, e);
            } catch (IOException | RuntimeException last) {
                drop();
                throw last;
            }
            send(piece);
        }
    }

    /** After a failure that nothing can be done about: it has been told, and what is not written is lost. */
    private void drop() {
        pieces.clear();
        filling = null;
        kept = 0;
        failed = false;
        pending = false;
    }

    private void dropAnswered() {
        pieces.removeIf(piece -> {
            boolean answered = piece.reply != null && piece.reply.isDone() && !piece.reply.isCompletedExceptionally();
            kept -= answered ? piece.length : 0;
            return answered;
        });
    }

    /** Brings all to stable storage. */
    void sync() throws IOException {
        lock.lock();
        try {
            syncLocked();
        } finally {
            unlock();
        }
    }

    private void syncLocked() throws IOException {
        file.call(present -> {
            flushLocked();
            RemoteFile current = file.now();
            current.sync();
            return current;
        });
        pieces.clear();
        kept = 0;
    }

    private static void await(CompletableFuture<Void> reply) throws IOException {
        try {
            reply.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for the server");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException(e.getCause());
        }
    }
}
