package io.verbena.nfs.nio.internal.file;

import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
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
 * Copies of the writes to one file that are not on stable storage yet (RFC 8881 section 18.32), from all channels of a
 * file system. If the mount is replaced and the old mount has not committed them, they are written again, in their
 * order, to the file that is opened again. Used only if the mount can be replaced. Thread safe.
 *
 * <p>A channel holds the lock while it adds a copy and hands the write to the mount, so the order here is the mount's
 * order. Lock order: this lock, then an {@link OpenFile}'s monitor.
 */
public final class UncommittedWrites {
    private final ReplaceableMount mount;

    /**
     * Guards all fields here that are neither final nor volatile, and the writes themselves. {@code @GuardedBy} cannot
     * say so: methods lock and unlock it, for other classes too.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private final Deque<UncommittedWrite> writes = new ArrayDeque<>();
    /**
     * Ranges that channels without copies have written since. The next thread that takes the lock cuts them out of the
     * writes.
     */
    private final Queue<Overwritten> over = new ConcurrentLinkedQueue<>();
    /** The number of writes that have been added; the last write has this number. */
    private long added;
    /** The mount that the writes went through. */
    private Mount sentOn;
    /** Whether there are no writes, to be read without the lock. */
    private volatile boolean empty = true;

    UncommittedWrites(ReplaceableMount mount) {
        this.mount = mount;
    }

    /**
     * A range that a channel without copies is about to write.
     *
     * @param until the number of the last write that was added before
     */
    public record Overwritten(long from, long to, long until) {}

    public void lock() throws InterruptedIOException {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting to write");
            interrupted.initCause(e);
            throw interrupted;
        }
        entered();
    }

    private void enter() {
        lock.lock();
        entered();
    }

    private void entered() {
        try {
            cut();
        } catch (Throwable e) {
            lock.unlock(); // the caller does not get as far as unlocking it
            throw e;
        }
    }

    public void unlock() {
        empty = writes.isEmpty();
        lock.unlock();
    }

    /** Adds a write that the caller hands to the mount next. Called under the lock, after {@link #rewriteLost}. */
    public void add(UncommittedWrite write) {
        if (writes.isEmpty()) {
            sentOn = mount.present();
        }
        writes.add(write.numbered(++added));
        empty = false;
    }

    /** The last write, or null. Cuts overwritten ranges out of the writes. Called under the lock. */
    public UncommittedWrite last() {
        return writes.peekLast();
    }

    public void remove(UncommittedWrite write) {
        enter();
        try {
            writes.removeIf(kept -> kept == write);
        } finally {
            unlock();
        }
    }

    /** Seals and returns the writes of a channel: nothing is appended to them any more. */
    public List<UncommittedWrite> seal(OpenFile owner) throws InterruptedIOException {
        lock();
        try {
            List<UncommittedWrite> own =
                    writes.stream().filter(write -> write.owner() == owner).toList();
            own.forEach(UncommittedWrite::seal);
            return own;
        } finally {
            unlock();
        }
    }

    /**
     * Removes writes that are on stable storage, or whose loss was reported. Writes that were sent again since, through
     * another file, stay.
     */
    public void forget(List<UncommittedWrite> done, Object via) {
        enter();
        try {
            Set<UncommittedWrite> all = new LinkedHashSet<>(done);
            writes.removeIf(write -> all.contains(write) && write.via() == via);
        } finally {
            unlock();
        }
    }

    /** Removes all writes of a channel. */
    public void forget(OpenFile owner) {
        enter();
        try {
            writes.removeIf(write -> write.owner() == owner);
        } finally {
            unlock();
        }
    }

    public boolean isKept(UncommittedWrite write) {
        enter();
        try {
            return writes.stream().anyMatch(kept -> kept == write);
        } finally {
            unlock();
        }
    }

    /** The memory that the copies of a channel occupy, in octets. */
    public long memory(OpenFile owner) {
        enter();
        try {
            return writes.stream()
                    .filter(write -> write.owner() == owner)
                    .mapToLong(UncommittedWrite::memory)
                    .sum();
        } finally {
            unlock();
        }
    }

    public boolean isEmpty(OpenFile owner) {
        enter();
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
    public Overwritten writing(long from, long to) throws IOException {
        if (empty) {
            return null;
        }
        rewriteLost(); // lost writes go before this one
        lock();
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
        for (Overwritten range = over.poll(); range != null; range = over.poll()) {
            cut(range);
        }
    }

    private void cut(Overwritten range) {
        List<UncommittedWrite> left = new ArrayList<>();
        writes.forEach(write ->
                left.addAll(write.number() > range.until() ? List.of(write) : write.without(range.from(), range.to())));
        writes.clear();
        writes.addAll(left);
    }

    /**
     * Truncates the file for one of its channels. The lock keeps other writes out until the server has truncated it and
     * the copies beyond the new end are removed.
     */
    public void truncate(OpenFile by, long size) throws IOException {
        rewriteLost(); // lost writes go before the change of size
        lock();
        try {
            by.call(present -> {
                present.truncate(size);
                return present;
            });
            cut(new Overwritten(size, Long.MAX_VALUE, added));
        } finally {
            unlock();
        }
    }

    /**
     * Writes again all writes that may be lost, if the mount was replaced since they were sent. A failure for another
     * channel is deferred to that channel's next call.
     */
    public void rewriteLost() throws IOException {
        if (empty) {
            return;
        }
        lock();
        try {
            for (int replacements = 0; !writes.isEmpty() && sentOn != mount.present(); replacements++) {
                try {
                    writeAgain();
                } catch (IOException e) {
                    if (Failures.replacement(e).isEmpty() || replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                        throw e;
                    }
                }
            }
        } finally {
            unlock();
        }
    }

    private void writeAgain() throws IOException {
        Mount now = mount.present();
        Set<OpenFile> owners = new LinkedHashSet<>();
        writes.forEach(write -> owners.add(write.owner()));
        for (OpenFile owner : owners) {
            follow(owner);
        }
        for (UncommittedWrite write : writes) {
            if (write.via() != write.owner().now()) {
                write.awaitEnd();
            }
        }
        for (Iterator<UncommittedWrite> all = writes.iterator(); all.hasNext(); ) {
            if (all.next().isSafe()) {
                all.remove();
            }
        }
        writes.stream().filter(UncommittedWrite::isPlaced).forEach(UncommittedWrite::send);
        writes.stream()
                .filter(write -> !write.isSent())
                .forEach(UncommittedWrite::send); // appends come after writes of known offsets
        for (UncommittedWrite write : List.copyOf(writes)) {
            awaitAgain(write);
        }
        sentOn = now;
    }

    private void follow(OpenFile owner) throws InterruptedIOException {
        try {
            owner.reopenIfReplaced();
        } catch (InterruptedIOException e) {
            throw e; // the next caller tries again
        } catch (Throwable e) {
            writes.removeIf(write -> write.owner() == owner);
            owner.deferFailure(e);
        }
    }

    private void awaitAgain(UncommittedWrite write) throws IOException {
        try {
            write.await();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            if (Failures.replacement(e).isPresent()) {
                write.owner().reopenAlone(write.via(), e);
                throw e;
            }
            writes.remove(write);
            write.owner().deferFailure(e);
        }
    }
}
