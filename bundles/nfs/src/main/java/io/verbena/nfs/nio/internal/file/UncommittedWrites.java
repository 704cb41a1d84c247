package io.verbena.nfs.nio.internal.file;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.mount.CallLock;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Copies of the writes to one file that are not on stable storage yet (RFC 8881 section 18.32), from all channels of a
 * file system. If the mount is replaced and the old mount has not committed them, they are written again, in their
 * order, to the file that is opened again. Used only if the mount can be replaced. Thread safe.
 *
 * <p>A channel holds the lock while it adds a copy and hands the write to the mount, so the order here is the mount's
 * order. Lock order: this lock, then an {@link OpenFile}'s monitor.
 */
public final class UncommittedWrites {
    /**
     * Guards the collections here and the writes themselves, also while a thread waits for the server.
     * {@code @GuardedBy} cannot say so: methods lock and unlock it, for other classes too.
     */
    private final CallLock lock;

    private final Deque<UncommittedWrite> writes = new ArrayDeque<>();
    /**
     * Ranges that channels without copies have written since. The next thread that takes the lock cuts them out of the
     * writes.
     */
    private final Queue<Overwritten> over = new ConcurrentLinkedQueue<>();
    /** Changes by threads that do not wait for the lock. The next thread that takes the lock makes them. */
    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    /** The number of the last write that was added. Written under the lock. */
    private volatile long added;
    /** Whether there are no writes, to be read without the lock. */
    private volatile boolean empty = true;

    /** Numbers the writes of all files of the file system. */
    private final AtomicLong lastWrite;

    private final LostWrites lost;

    /** @param isLockedOn whether an exclusive lock was granted on this mount, and nobody has released it */
    UncommittedWrites(Runtime runtime, ReplaceableMount mount, AtomicLong lastWrite, Predicate<Mount> isLockedOn) {
        this.lock = new CallLock(runtime);
        this.lastWrite = lastWrite;
        this.lost = new LostWrites(mount, writes, isLockedOn);
    }

    /**
     * A range that a channel without copies is about to write.
     *
     * @param until the number of the last write that was added before
     */
    public record Overwritten(long from, long to, long until) {}

    /**
     * Takes the lock. {@link #unlock} must follow.
     *
     * @throws InterruptedIOException if the thread is interrupted
     * @throws AsynchronousCloseException if another thread closes the file meanwhile
     */
    public void lock(OpenFile by) throws IOException {
        lock.lock(by::isClosedByOther);
        entered();
    }

    /** Makes a change as soon as no other thread has the lock. Does not block. */
    private void change(Runnable change) {
        later.add(change);
        makeChanges();
    }

    private void makeChanges() {
        if (lock.tryLock()) {
            entered();
            unlock();
        }
    }

    private void entered() {
        try {
            for (Runnable change = later.poll(); change != null; change = later.poll()) {
                change.run();
            }
            cut();
        } catch (Throwable e) {
            lock.unlock(); // the caller does not get as far as unlocking it
            throw e;
        }
    }

    public void unlock() {
        empty = writes.isEmpty();
        lock.unlock();
        if (!later.isEmpty()) {
            makeChanges();
        }
    }

    /** The file is being closed: other threads stop to wait for the lock on its behalf. */
    void wake() {
        lock.wake();
    }

    /** Adds a write that the caller hands to the mount next. Called under the lock, after {@link #follow}. */
    public void add(UncommittedWrite write) {
        added = lastWrite.incrementAndGet();
        writes.add(write.numbered(added));
        empty = false;
    }

    /** The last write, or null. Called under the lock. */
    public UncommittedWrite last() {
        return writes.peekLast();
    }

    public void remove(UncommittedWrite write) {
        change(() -> writes.removeIf(kept -> kept == write));
    }

    /**
     * The writes of a channel up to some moment.
     *
     * @param via the file that all of them were handed to
     * @param until the number of the last one
     */
    public record Sealed(RemoteFile via, long until) {}

    /**
     * Seals the writes of a channel: nothing is appended to them any more. Lost writes are written again before.
     *
     * @throws IOException as {@link #follow}
     */
    public Sealed seal(OpenFile owner) throws IOException {
        lock(owner);
        try {
            return seal(owner, follow(owner).file());
        } finally {
            unlock();
        }
    }

    /** Seals the writes that the present file of a channel has, if the thread does not stop to wait for the lock. */
    Sealed sealPresent(OpenFile owner) {
        RemoteFile via = owner.now();
        if (empty) {
            return new Sealed(via, 0);
        }
        try {
            lock(owner);
        } catch (IOException e) {
            return new Sealed(via, 0); // an interrupted thread stays interrupted
        }
        try {
            return seal(owner, via);
        } finally {
            unlock();
        }
    }

    private Sealed seal(OpenFile owner, RemoteFile via) {
        for (UncommittedWrite write : writes) {
            if (write.owner() == owner) {
                write.seal();
            }
        }
        return new Sealed(via, added);
    }

    /**
     * Removes writes that are on stable storage. No older write of another channel is written again over these. Writes
     * that were sent again since, through another file, stay.
     */
    public void synced(OpenFile owner, Sealed done) {
        if (empty) {
            return;
        }
        change(() -> {
            List<Overwritten> ranges = new ArrayList<>();
            for (UncommittedWrite write : removed(owner, done)) {
                if (write.isPlaced()) {
                    ranges.add(new Overwritten(write.position(), write.end(), write.number() - 1));
                }
            }
            cut(ranges);
        });
    }

    /** Removes writes whose loss was reported. Writes that were sent again since, through another file, stay. */
    public void forget(OpenFile owner, Sealed lost) {
        change(() -> {
            List<UncommittedWrite> unused = removed(owner, lost);
        });
    }

    private List<UncommittedWrite> removed(OpenFile owner, Sealed which) {
        List<UncommittedWrite> removed = new ArrayList<>();
        writes.removeIf(write -> {
            boolean goes = write.owner() == owner && write.number() <= which.until() && write.via() == which.via();
            if (goes) {
                removed.add(write);
            }
            return goes;
        });
        return removed;
    }

    /**
     * An exclusive lock is gone, of whichever channel. No write that was added before is written again, since the
     * next holder may have changed the file. If a mount loses such a write, its channel is told.
     */
    void unlocked() {
        if (empty) {
            return;
        }
        long until = added;
        change(() -> lost.giveUpUntil(until));
    }

    /** Removes all writes of a channel. */
    public void forget(OpenFile owner) {
        change(() -> writes.removeIf(write -> write.owner() == owner));
    }

    public boolean isKept(UncommittedWrite write) throws IOException {
        lock(write.owner());
        try {
            return writes.stream().anyMatch(kept -> kept == write);
        } finally {
            unlock();
        }
    }

    /** The memory that the copies of a channel occupy, in octets. */
    public long memory(OpenFile owner) throws IOException {
        lock(owner);
        try {
            return writes.stream()
                    .filter(write -> write.owner() == owner)
                    .mapToLong(UncommittedWrite::memory)
                    .sum();
        } finally {
            unlock();
        }
    }

    /** Whether no writes of a channel are kept; false where the thread stops to wait for the lock. */
    public boolean isEmpty(OpenFile owner) {
        try {
            lock(owner);
        } catch (IOException e) {
            return false; // an interrupted thread stays interrupted
        }
        try {
            return writes.stream().noneMatch(write -> write.owner() == owner);
        } finally {
            unlock();
        }
    }

    /**
     * Announces a write by a channel that keeps no copies. The copies of the range stay until {@link #written}, since
     * the write may fail.
     */
    public Overwritten writing(OpenFile by, long from, long to) throws IOException {
        if (empty) {
            return null;
        }
        rewriteLost(by); // lost writes go before this one
        lock(by);
        try {
            writes.forEach(UncommittedWrite::seal);
            return new Overwritten(from, to, added);
        } finally {
            unlock();
        }
    }

    /** The range has been written: copies that are older must not be written over it. Does not block. */
    public void written(Overwritten range) {
        if (range != null) {
            over.add(range);
        }
    }

    /** Called under the lock. */
    private void cut() {
        if (over.isEmpty()) {
            return;
        }
        List<Overwritten> ranges = new ArrayList<>();
        for (Overwritten range = over.poll(); range != null; range = over.poll()) {
            ranges.add(range);
        }
        cut(ranges);
    }

    private void cut(List<Overwritten> ranges) {
        List<UncommittedWrite> left = new ArrayList<>();
        for (UncommittedWrite write : writes) {
            List<UncommittedWrite> parts = List.of(write);
            for (Overwritten range : ranges) {
                if (write.number() <= range.until() && write.overlaps(range.from(), range.to())) {
                    parts = parts.stream()
                            .flatMap(part -> part.without(range.from(), range.to()).stream())
                            .toList();
                }
            }
            left.addAll(parts);
        }
        writes.clear();
        writes.addAll(left);
    }

    /**
     * Truncates the file for one of its channels. The lock keeps other writes out until the server has truncated it and
     * the copies beyond the new end are removed.
     */
    public void truncate(OpenFile by, long size) throws IOException {
        rewriteLost(by); // lost writes go before the change of size
        lock(by);
        try {
            by.call(present -> {
                present.truncate(size);
                return present;
            });
            cut(List.of(new Overwritten(size, Long.MAX_VALUE, added)));
        } finally {
            unlock();
        }
    }

    /**
     * The file by which a channel writes on: the channel has followed to the present mount, and so have all writes that
     * are kept. Called under the lock.
     *
     * @throws IOException if the channel cannot go on: its writes are lost, and this exception reports it
     */
    public OpenResult follow(OpenFile writer) throws IOException {
        return lost.follow(writer);
    }

    /**
     * Writes again all writes that may be lost, if the mount was replaced since they were sent. A failure for another
     * channel is deferred to that channel's next call.
     */
    void rewriteLost(OpenFile by) throws IOException {
        if (empty) {
            return;
        }
        lock(by);
        try {
            lost.writeAgain();
        } finally {
            unlock();
        }
    }
}
