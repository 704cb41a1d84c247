package io.verbena.itests.model;

import java.io.IOException;
import java.nio.channels.OverlappingFileLockException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Locks: those of two mounts exclude each other. A lock that overlaps another one of its own mount is refused with an
 * {@link OverlappingFileLockException}, for all kinds of doors and locks.
 */
final class LockSteps {
    private static final int REACH = 200;
    private static final int MARGIN = 10;
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final long BOUND_SECONDS = 60;
    private static final Set<Thread.State> WAITING =
            EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);

    private final Run run;

    LockSteps(Run run) {
        this.run = run;
    }

    private boolean shared(Door door) {
        boolean both = door.modes().read() && door.modes().write();
        return both ? run.oneIn(3) : door.modes().read();
    }

    /** Locks a range that this mount has not locked; another mount may have. */
    boolean lock(Door door) throws IOException {
        int position = lockPosition(door);
        int size = 1 + run.below(REACH / 4);
        if (!HeldRange.ofSameMount(door.file(), door.mount(), position, size).isEmpty()) {
            return false;
        }
        boolean shared = shared(door);
        boolean denied = HeldRange.isDeniedByOther(door.file(), door.mount(), position, size, shared);
        boolean waits = !denied && run.oneIn(4);
        run.note("lock [" + position + "," + (position + size) + ")" + (shared ? " shared" : "") + " by " + door
                + (denied ? ", which another has" : waits ? ", waiting" : ""));
        Door.Lock lock = door.tryLock(position, size, shared, waits ? WAIT : Duration.ZERO);
        if (denied != (lock == null)) {
            throw new AssertionError(
                    (denied ? "a lock that another mount holds was given to " : "nobody's lock refused to ") + door
                            + "; held are " + door.file().locks);
        }
        if (lock != null) {
            held(new HeldRange(door, position, size, shared, lock));
        }
        return true;
    }

    /** A random position, or one within a locked range. */
    private int lockPosition(Door door) {
        List<HeldRange> held = door.file().locks;
        if (held.isEmpty() || run.oneIn(2)) {
            return run.below(REACH);
        }
        HeldRange one = run.any(held);
        int within = Math.toIntExact(one.position()) + run.below(Math.toIntExact(one.size()));
        return Math.min(within, 2 * REACH);
    }

    /** Tries a lock that overlaps one of the same mount: it is refused, independent of the locks of another mount. */
    boolean lockOverlap(Door door) throws IOException {
        ModelFile file = door.file();
        List<HeldRange> own = file.locks.stream()
                .filter(held -> held.root().mount() == door.mount())
                .toList();
        if (own.isEmpty()) {
            return false;
        }
        HeldRange over = run.any(own);
        boolean shared = shared(door);
        long position = Math.max(0, over.position() - MARGIN + run.below(Math.toIntExact(over.size()) + MARGIN));
        int size = MARGIN + 1 + run.below(REACH / 4);
        List<HeldRange> overlapped = HeldRange.ofSameMount(file, door.mount(), position, size);
        run.note("lock [" + position + "," + (position + size) + ")" + (shared ? " shared" : "") + " by " + door
                + ", over " + overlapped);
        try {
            Door.Lock lock = door.tryLock(position, size, shared, run.oneIn(4) ? WAIT : Duration.ZERO);
            throw new AssertionError((lock == null ? "a lock was said to be another's, to " : "a lock was given to ")
                    + door + ", that overlaps " + overlapped);
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    private void held(HeldRange range) {
        ModelFile file = range.root().file();
        file.locks.add(range);
        file.seen(range.root().mount());
    }

    /** Whether another mount holds a lock of its file. */
    static boolean mayWait(Door door) {
        return door.isLockable()
                && door.file().locks.stream().anyMatch(held -> held.root().mount() != door.mount());
    }

    /** Another thread waits for a lock that another mount holds, and gets it after the release. */
    boolean lockWaiting(Door door) throws Exception {
        ModelFile file = door.file();
        List<HeldRange> others = file.locks.stream()
                .filter(held -> held.root().mount() != door.mount())
                .toList();
        HeldRange other = run.any(others);
        boolean shared = shared(door);
        long position = other.position();
        long size = other.size();
        List<HeldRange> inTheWay = others.stream()
                .filter(held -> HeldRange.isDenied(held, position, size, shared))
                .toList();
        if (!inTheWay.equals(List.of(other))
                || !HeldRange.ofSameMount(file, door.mount(), position, size).isEmpty()) {
            return false;
        }
        run.note("lock [" + position + "," + (position + size) + ")" + (shared ? " shared" : "") + " by " + door
                + ", waiting for " + other);
        FutureTask<Door.Lock> asked = new FutureTask<>(() -> door.tryLock(position, size, shared, WAIT));
        Thread waiter = new Thread(asked, "waiter");
        waiter.start();
        awaitWaiting(waiter);
        if (asked.isDone()) {
            throw new AssertionError(door + " has got " + asked.get() + " and not waited; held are " + file.locks);
        }
        unlock(other);
        Door.Lock lock = asked.get(BOUND_SECONDS, TimeUnit.SECONDS);
        if (lock == null) {
            throw new AssertionError("who waits does not get what was released: " + door);
        }
        held(new HeldRange(door, position, size, shared, lock));
        return true;
    }

    private static void awaitWaiting(Thread thread) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
        while (!WAITING.contains(thread.getState()) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    boolean unlockAny(ModelFile file) throws IOException {
        return unlock(run.any(file.locks));
    }

    private boolean unlock(HeldRange held) throws IOException {
        ModelFile file = held.root().file();
        run.note("unlock " + held);
        held.lock().release();
        file.locks.remove(held);
        if (!held.shared()) {
            file.synced(held.root());
        }
        return true;
    }

    boolean test(Door door) throws IOException {
        int position = run.below(REACH);
        int size = 1 + run.below(REACH);
        boolean shared = run.oneIn(2);
        if (!HeldRange.ofSameMount(door.file(), door.mount(), position, size).isEmpty()) {
            return false;
        }
        boolean expected = HeldRange.isDeniedByOther(door.file(), door.mount(), position, size, shared);
        run.note("is locked [" + position + "," + (position + size) + ")" + (shared ? " shared" : "") + " by " + door);
        Boolean locked = door.isLocked(position, size, shared);
        if (locked != null && locked != expected) {
            throw new AssertionError("isLocked says " + locked + " to " + door + "; held are " + door.file().locks);
        }
        return locked != null;
    }
}
