package io.verbena.nfs.nio.internal;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Copies of what the channels of a file system have written to one file, until it is on stable storage. Where the mount
 * is replaced and the old one could not make it safe, the copies are written again, in the order of the writes, to the
 * file as it is opened again. Used only where a mount can be replaced. Thread safe.
 *
 * <p>A channel holds the lock while it keeps a copy and hands the write over, so the order here is the mount's order. The
 * lock comes before an {@link OpenFile}'s monitor.
 */
final class KeptWrites {
    private final Remote remote;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    /** What was written over pieces by who keeps no copy; whoever takes the lock next cuts it out of them. */
    private final Queue<Over> over = new ConcurrentLinkedQueue<>();
    /** How many pieces have been added. */
    private long added;
    /** The mount that the pieces went through. */
    private Mount sentOn;
    /** So that who keeps nothing does not wait for the lock. */
    private volatile boolean empty = true;

    KeptWrites(Remote remote) {
        this.remote = remote;
    }

    /**
     * A range that is about to be written by who keeps no copy.
     *
     * @param until those that were kept before
     */
    record Over(long from, long to, long until) {}

    void lock() throws InterruptedIOException {
        try {
            lock.lockInterruptibly();
            cut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting to write");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    private void enter() {
        lock.lock();
        cut();
    }

    void unlock() {
        empty = pieces.isEmpty();
        lock.unlock();
    }

    /** Keeps what is about to be handed over. Called under the lock, behind {@link #renew}. */
    void add(Piece piece) {
        if (pieces.isEmpty()) {
            sentOn = remote.present();
        }
        pieces.add(piece.numbered(++added));
        empty = false;
    }

    /** The last piece, or null. Called under the lock. */
    Piece last() {
        return pieces.peekLast();
    }

    void remove(Piece piece) {
        enter();
        try {
            pieces.removeIf(kept -> kept == piece);
        } finally {
            unlock();
        }
    }

    /** What is kept of a channel; nothing is added to these pieces any more. */
    List<Piece> seal(OpenFile owner) throws InterruptedIOException {
        lock();
        try {
            List<Piece> own =
                    pieces.stream().filter(piece -> piece.owner() == owner).toList();
            own.forEach(Piece::seal);
            return own;
        } finally {
            unlock();
        }
    }

    /** These pieces are on stable storage, or lost and told of; not those that were sent again since. */
    void forget(List<Piece> done, Object via) {
        enter();
        try {
            Set<Piece> all = new LinkedHashSet<>(done);
            pieces.removeIf(piece -> all.contains(piece) && piece.via() == via);
        } finally {
            unlock();
        }
    }

    /** Nothing of a channel is kept any more. */
    void forget(OpenFile owner) {
        enter();
        try {
            pieces.removeIf(piece -> piece.owner() == owner);
        } finally {
            unlock();
        }
    }

    boolean isKept(Piece piece) {
        enter();
        try {
            return pieces.stream().anyMatch(kept -> kept == piece);
        } finally {
            unlock();
        }
    }

    /** The memory that the copies of a channel take. */
    long memory(OpenFile owner) {
        enter();
        try {
            return pieces.stream()
                    .filter(piece -> piece.owner() == owner)
                    .mapToLong(Piece::memory)
                    .sum();
        } finally {
            unlock();
        }
    }

    boolean isEmpty(OpenFile owner) {
        enter();
        try {
            return pieces.stream().noneMatch(piece -> piece.owner() == owner);
        } finally {
            unlock();
        }
    }

    /**
     * Somebody who keeps no copy is about to write a range. What is kept of it until now stays until {@link #written}, as the
     * write may fail.
     */
    Over writing(long from, long to) throws IOException {
        if (empty) {
            return null;
        }
        renew(); // what has to be written again comes before the write
        lock();
        try {
            pieces.forEach(Piece::seal);
            return new Over(from, to, added);
        } finally {
            unlock();
        }
    }

    /** It is written: what was kept of the range before must not be written over it. Waits for nobody. */
    void written(Over range) {
        if (range != null) {
            over.add(range);
        }
    }

    /** Called under the lock. */
    private void cut() {
        for (Over range = over.poll(); range != null; range = over.poll()) {
            cut(range);
        }
    }

    private void cut(Over range) {
        List<Piece> left = new ArrayList<>();
        pieces.forEach(piece ->
                left.addAll(piece.number() > range.until() ? List.of(piece) : piece.without(range.from(), range.to())));
        pieces.clear();
        pieces.addAll(left);
    }

    /**
     * Makes a file shorter, for one of its channels. What is kept behind its end goes once the server has done so; meanwhile
     * nobody writes.
     */
    void truncate(OpenFile by, long size) throws IOException {
        renew(); // what has to be written again comes before the change
        lock();
        try {
            by.call(present -> {
                present.truncate(size);
                return present;
            });
            cut(new Over(size, Long.MAX_VALUE, added));
        } finally {
            unlock();
        }
    }

    /**
     * Writes again what may be lost where the mount was replaced since it was written. What fails for another channel is
     * owed to that one.
     */
    void renew() throws IOException {
        if (empty) {
            return;
        }
        lock();
        try {
            for (int replacements = 0; !pieces.isEmpty() && sentOn != remote.present(); replacements++) {
                try {
                    writeAgain();
                } catch (IOException e) {
                    if (Failures.replacement(e).isEmpty() || replacements == Remote.MAX_REPLACEMENTS) {
                        throw e;
                    }
                }
            }
        } finally {
            unlock();
        }
    }

    private void writeAgain() throws IOException {
        Mount now = remote.present();
        Set<OpenFile> owners = new LinkedHashSet<>();
        pieces.forEach(piece -> owners.add(piece.owner()));
        for (OpenFile owner : owners) {
            follow(owner);
        }
        for (Piece piece : pieces) {
            if (piece.via() != piece.owner().now()) {
                piece.awaitEnd();
            }
        }
        for (Iterator<Piece> all = pieces.iterator(); all.hasNext(); ) {
            if (all.next().isSafe()) {
                all.remove();
            }
        }
        pieces.stream().filter(Piece::isPlaced).forEach(Piece::send);
        pieces.stream().filter(piece -> !piece.isSent()).forEach(Piece::send); // behind those that have their place
        for (Piece piece : List.copyOf(pieces)) {
            awaitAgain(piece);
        }
        sentOn = now;
    }

    private void follow(OpenFile owner) throws InterruptedIOException {
        try {
            owner.follow();
        } catch (InterruptedIOException e) {
            throw e; // who comes next tries again
        } catch (IOException | RuntimeException e) {
            pieces.removeIf(piece -> piece.owner() == owner);
            owner.owe(e);
        }
    }

    private void awaitAgain(Piece piece) throws IOException {
        try {
            piece.await();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            if (Failures.replacement(e).isPresent()) {
                piece.owner().reopenAlone(piece.via(), e);
                throw e;
            }
            pieces.remove(piece);
            piece.owner().owe(e);
        }
    }
}
