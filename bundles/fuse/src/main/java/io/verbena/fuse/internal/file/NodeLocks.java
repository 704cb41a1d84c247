package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteLock;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The byte-range locks of one file. The server knows one owner, this client; among the programs of this host the class
 * decides, as fcntl(2) and flock(2) have it. The server's locks are the sum of the programs' locks. Thread safe.
 *
 * <p>The client has no call that changes a lock in place. A lock that becomes another type, or that loses a part, is
 * released at the server and obtained anew, and another client may come in between; then the change fails.
 */
public final class NodeLocks {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLocks.class);
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);
    /** How long a lock is asked for again before it counts as lost, while its unlock is on its way. */
    private static final long LONGEST_RESTORE = TimeUnit.SECONDS.toNanos(5);

    private static final LockHolder OTHER_CLIENT = new LockHolder(0, 0, false);

    private final Runtime runtime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed;

    @GuardedBy("lock")
    private List<LockEntry> entries = List.of();

    /** The opens by which locks were set, by their handles. */
    @GuardedBy("lock")
    private final Map<Long, OpenFile> opens = new HashMap<>();

    /** Changed under the lock; any thread looks at it. */
    private final List<ServerLock> held = new CopyOnWriteArrayList<>();

    /** Whether what nobody waits for any more has kept the last change from a range: it is on its way to the server. */
    @GuardedBy("lock")
    private boolean overlaps;

    private volatile boolean lost;

    /** A lock of this host at the server, which a mount has obtained. */
    private record ServerLock(LockRange range, RemoteLock lock, OpenFile by, Mount on) {
        /** Whether it has gone with its mount, and others may have had it since. */
        boolean isGone() {
            return by.isReplaced(on);
        }
    }

    NodeLocks(Runtime runtime) {
        this.runtime = runtime;
        this.changed = runtime.newCondition(lock);
    }

    /** Whether a program holds a lock that the server or a replacement of the mount has taken away. Does not block. */
    boolean isLost() {
        for (ServerLock each : held) { // each READ and WRITE asks
            if (each.isGone()) {
                return true;
            }
        }
        return lost; // last: see adapt
    }

    /** A lock that keeps {@code wanted} from being granted; null if there is none. */
    public LockEntry test(OpenFile by, LockEntry wanted) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitClosed(wanted);
            List<LockEntry> conflicts = conflicts(wanted);
            if (!conflicts.isEmpty()) {
                return conflicts.get(0);
            }
            LockRange range = new LockRange(wanted.start(), wanted.end(), wanted.type() == Protocol.F_WRLCK);
            List<LockRange> own = held.stream()
                    .filter(each -> !each.isGone())
                    .map(ServerLock::range)
                    .toList();
            for (LockRange part : range.without(own)) {
                if (by.call(file -> file.isLocked(part.start(), part.size(), !part.exclusive()))) {
                    return new LockEntry(OTHER_CLIENT, part.start(), part.end(), Protocol.F_WRLCK, 0, 0);
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private List<LockEntry> conflicts(LockEntry wanted) {
        return wanted.type() == Protocol.F_UNLCK
                ? List.of()
                : entries.stream().filter(each -> each.conflictsWith(wanted)).toList();
    }

    /** Waits while only locks of closed files conflict: close(2) has returned, and they are on their way to go. */
    @GuardedBy("lock")
    private void awaitClosed(LockEntry wanted) throws InterruptedException {
        while (isKeptByClosed(wanted)) {
            changed.await();
        }
    }

    @GuardedBy("lock")
    private boolean isKeptByClosed(LockEntry wanted) {
        boolean isKept = false;
        for (LockEntry each : conflicts(wanted)) {
            isKept = opens.get(each.holder().handle()).isClosedBefore(wanted.arrival());
            if (!isKept) {
                return false;
            }
        }
        return isKept;
    }

    /**
     * Sets or removes a lock, or returns false where another holder's conflicts. Only the locks of closed files are
     * waited for; an interrupt ends the wait.
     */
    public boolean set(OpenFile by, LockEntry change) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitClosed(change);
            return setNow(by, change);
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #set}, but waits; an interrupt ends the wait. */
    public void await(OpenFile by, LockEntry change) throws IOException, InterruptedException {
        long pause = FIRST_PAUSE;
        lock.lockInterruptibly();
        try {
            while (!setNow(by, change)) {
                long unused = changed.awaitNanos(pause);
                pause = Math.min(LONGEST_PAUSE, pause * 2);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes all locks of a process, which has closed the file. Another process may have got its number since.
     *
     * @param arrival of the request that tells of the close
     */
    public void removeOfProcess(OpenFile by, long owner, long arrival) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            remove(by, each -> !each.holder().isFlock() && each.holder().owner() == owner && each.arrival() < arrival);
        } finally {
            lock.unlock();
        }
    }

    /** Removes all locks that were set by an open of the file, which is closed. */
    public void removeOfOpen(OpenFile by, long handle) throws IOException {
        lock.lock();
        try {
            opens.remove(handle);
            remove(by, each -> each.holder().handle() == handle);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void remove(OpenFile by, Predicate<LockEntry> isGone) throws IOException {
        List<LockEntry> after = entries.stream().filter(isGone.negate()).toList();
        if (after.size() < entries.size()) {
            unlock(by, after);
        }
    }

    @GuardedBy("lock")
    private boolean setNow(OpenFile by, LockEntry change) throws IOException {
        if (!conflicts(change).isEmpty()) {
            giveUp(by, change.holder());
            return false;
        }
        opens.put(change.holder().handle(), by);
        List<LockEntry> after = LockEntry.with(entries, change);
        if (change.type() == Protocol.F_UNLCK) {
            unlock(by, after);
            return true;
        }
        boolean done = false;
        try {
            done = adapt(by, after);
            if (!done) {
                giveUp(by, change.holder());
            }
        } finally {
            if (!done) {
                restore(by);
            }
        }
        if (done) {
            entries = after;
            changed.signalAll();
        }
        return done;
    }

    /**
     * A lock of flock(2) that cannot become another type goes, as on Linux: two who share the file and want to work
     * alone would wait for each other. One of fcntl(2) stays.
     */
    @GuardedBy("lock")
    private void giveUp(OpenFile by, LockHolder holder) throws IOException {
        if (holder.isFlock()) {
            remove(by, each -> each.holder().is(holder));
        }
    }

    /** Removes locks, whatever the server says: a program that has closed its file holds none. */
    @GuardedBy("lock")
    private void unlock(OpenFile by, List<LockEntry> after) throws IOException {
        entries = after;
        try {
            boolean unused = adapt(by, after);
        } finally {
            if (entries.isEmpty()) {
                lost = false;
            }
            changed.signalAll();
            if (!holds(LockRange.of(entries))) {
                restore(by);
            }
        }
    }

    /**
     * The change has failed: has the server hold what the programs hold, also where a signal has ended a wait. The
     * request of which it has ended the wait is done first.
     */
    @GuardedBy("lock")
    private void restore(OpenFile by) throws IOException {
        long begun = runtime.nanoTime();
        boolean interrupted = Thread.interrupted();
        try {
            boolean again = true;
            while (again) {
                try {
                    boolean all = adapt(by, entries);
                    again = !all && overlaps;
                } catch (InterruptedIOException e) {
                    LOG.debug("interrupted again", e);
                    interrupted |= Thread.interrupted();
                }
                again &= runtime.nanoTime() - begun < LONGEST_RESTORE;
                if (again) {
                    interrupted |= pause();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (!holds(LockRange.of(entries))) {
                LOG.warn("a lock of a file is lost: another client has it, or the server does not answer");
                lost = true;
            }
        }
    }

    /** Returns whether the thread was interrupted. */
    @GuardedBy("lock")
    private boolean pause() {
        try {
            long left = FIRST_PAUSE;
            while (left > 0) {
                left = changed.awaitNanos(left);
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Whether the server holds these ranges, as far as this host knows. */
    @GuardedBy("lock")
    private boolean holds(List<LockRange> wanted) {
        List<LockRange> kept = held.stream().map(ServerLock::range).toList();
        return wanted.stream().allMatch(range -> range.isHeldBy(kept));
    }

    /** Has the server hold these locks, and returns whether it does. A failure keeps none of the steps from it. */
    @GuardedBy("lock")
    private boolean adapt(OpenFile by, List<LockEntry> after) throws IOException {
        List<LockRange> wanted = LockRange.of(after);
        overlaps = false;
        IOException failure = null;
        for (ServerLock each : List.copyOf(held)) {
            if (each.isGone() || wanted.stream().noneMatch(range -> range.contains(each.range()))) {
                try {
                    release(each);
                } catch (IOException e) {
                    failure = failure == null ? e : failure;
                } finally {
                    held.remove(each); // last: who does not see it any more sees that it is lost
                }
            }
        }
        boolean all = obtain(by, after, wanted);
        if (failure != null) {
            throw failure;
        }
        return all;
    }

    @GuardedBy("lock")
    private boolean obtain(OpenFile by, List<LockEntry> after, List<LockRange> wanted) throws IOException {
        List<LockRange> kept = held.stream().map(ServerLock::range).toList();
        for (LockRange range : wanted) {
            for (LockRange part : range.without(kept)) {
                if (!obtain(opener(by, after, part), part)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** By which open the server is asked: the lock may be that of another program, whose open has another mode. */
    @GuardedBy("lock")
    private OpenFile opener(OpenFile by, List<LockEntry> after, LockRange range) {
        if (by.mayLock(range.exclusive())) {
            return by;
        }
        for (LockEntry each : after) {
            OpenFile other = opens.get(each.holder().handle());
            if (each.overlaps(range.start(), range.end()) && other.mayLock(range.exclusive())) {
                return other;
            }
        }
        return by;
    }

    @GuardedBy("lock")
    private boolean obtain(OpenFile by, LockRange range) throws IOException {
        Optional<ServerLock> granted;
        try {
            granted = by.call(file -> {
                Mount on = by.mount(); // first: one that comes later has not granted it
                return file.tryLock(range.start(), range.size(), !range.exclusive())
                        .map(lockThere -> new ServerLock(range, lockThere, by, on));
            });
        } catch (OverlappingFileLockException e) { // the unlock of a program that was killed is on its way
            overlaps = true;
            granted = Optional.empty();
        }
        if (granted.isEmpty()) {
            return false;
        }
        if (!by.lock()) {
            granted.get().lock().close();
            throw new ClosedChannelException();
        }
        held.add(granted.get());
        granted.get().lock().onLost(why -> {
            LOG.warn("a lock of a file is lost: {}", why.getMessage());
            lost = true;
        });
        return true;
    }

    private void release(ServerLock gone) throws IOException {
        try {
            gone.lock().close();
        } catch (IOException e) {
            if (PresentMount.replacement(e).isEmpty()) {
                tell(gone.by(), e);
                throw e;
            }
            lost = true;
        } finally {
            if (gone.isGone()) {
                lost = true;
            }
            gone.by().unlock();
        }
    }

    /** The client tells the failure of a write once, and has told it now. A later fsync(2) has to know of it. */
    private static void tell(OpenFile by, IOException failure) {
        if (by.isDirty() && !(failure instanceof InterruptedIOException)) {
            by.failed(failure);
        }
    }
}
