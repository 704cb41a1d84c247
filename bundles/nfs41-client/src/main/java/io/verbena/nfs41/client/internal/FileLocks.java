package io.verbena.nfs41.client.internal;

import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.LockType;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Locks ranges of one open file; without the server where the file is delegated to this client for writing. */
final class FileLocks {
    private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

    /** What the file itself does about its locks. */
    interface Action {
        void run() throws IOException;
    }

    private final OpenState state;
    private final FileCore core;
    private final Supplier<CompletableFuture<Void>> flush;
    private final Action requireOpen;
    private final LockWaiters waiters;
    private final Lifetime lifetime;
    private final Set<HeldLock> granted = ConcurrentHashMap.newKeySet();
    /**
     * One lock is asked for at a time: the first makes the stateid that the next ones need. Given back by the answer,
     * which may come when who asked has left.
     */
    private final Semaphore locking = new Semaphore(1);

    private final Set<Asking> askings = ConcurrentHashMap.newKeySet();
    /** The last attempt, whatever came of it. */
    private volatile CompletableFuture<Boolean> attempt = CompletableFuture.completedFuture(false);

    private volatile boolean closing;

    /**
     * @param flush brings to stable storage what was written so far
     * @param requireOpen fails where the file has been closed
     */
    FileLocks(
            OpenState state,
            FileCore core,
            Supplier<CompletableFuture<Void>> flush,
            Action requireOpen,
            FileContext context) {
        this.state = state;
        this.core = core;
        this.flush = flush;
        this.requireOpen = requireOpen;
        this.waiters = context.lockWaiters();
        this.lifetime = context.lifetime();
        state.locks().onLost(this::tellLost);
    }

    Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException {
        return asking(position, size, shared, asking -> asking.ask(false));
    }

    /** Asks again when the server hints at it or some time has passed; the last time as one who will not ask again. */
    Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException {
        return asking(position, size, shared, asking -> askAgain(asking, wait));
    }

    private Optional<RemoteLock> askAgain(Asking asking, Duration wait) throws IOException {
        Duration bound = wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
        long deadline = System.nanoTime() + bound.toNanos();
        Retry retry = new Retry();
        try (LockWaiters.Waiter waiter = waiters.register(state.handle(), state.owner())) {
            while (true) {
                long left = deadline - System.nanoTime();
                Optional<RemoteLock> lock = asking.ask(left > 0);
                if (lock.isPresent() || left <= 0) {
                    return lock;
                }
                waiter.await(Math.min(left, waiters.pauseNanos(retry)));
            }
        }
    }

    private interface Locking {
        Optional<RemoteLock> by(Asking asking) throws IOException;
    }

    /** Keeps the range in the file's table while the lock is asked for, and as long as it is held. */
    private Optional<RemoteLock> asking(long position, long size, boolean shared, Locking locking) throws IOException {
        Asking asking = new Asking(position, size, range(position, size, shared));
        core.locks().reserve(asking.range);
        askings.add(asking);
        boolean locked = false;
        try {
            Optional<RemoteLock> lock = locking.by(asking);
            locked = lock.isPresent();
            return lock;
        } finally {
            askings.remove(asking);
            if (!locked) {
                asking.giveUp();
            }
        }
    }

    /** One who asks for a lock, and may leave before there is an answer. */
    private final class Asking {
        private final long position;
        private final long size;
        private final HeldLocks.Range range;
        /** Whether the range in the table is still this one's to give back. */
        private final AtomicBoolean reserved = new AtomicBoolean(true);
        /** Whether the lock was granted, the last time. */
        private CompletableFuture<Boolean> asked = CompletableFuture.completedFuture(false);

        Asking(long position, long size, HeldLocks.Range range) {
            this.position = position;
            this.size = size;
            this.range = range;
        }

        /** One attempt is an operation; the wait for the next is none, so that the mount's end need not wait for it. */
        Optional<RemoteLock> ask(boolean waits) throws IOException {
            lifetime.enter();
            try {
                requireOpen.run();
                acquireLocking();
                asked = Futures.begin(() -> lock(range, waits));
                attempt = asked;
                Futures.whenDone(asked, (granted, thrown) -> locking.release());
                return Blocking.await(asked) ? Optional.of(held()) : Optional.empty();
            } finally {
                lifetime.exit();
            }
        }

        private RemoteLock held() throws IOException {
            core.revalidate(); // who held it before may have changed the file
            HeldLock lock = new HeldLock(position, size, range);
            boolean owns = reserved.compareAndSet(true, false); // else the file is closed
            granted.add(lock);
            if (closing || !owns) { // looked at only now: what is granted from here on, nobody would give back
                throw closedMeanwhile(lock, owns);
            }
            if (!state.locks().holds(range)) {
                lock.lose(); // meanwhile
            }
            return lock;
        }

        private AsynchronousCloseException closedMeanwhile(HeldLock lock, boolean owns) {
            AsynchronousCloseException closed = new AsynchronousCloseException();
            try {
                Blocking.await(release(range));
            } catch (IOException | RuntimeException e) {
                closed.addSuppressed(e);
            }
            if (owns) {
                lock.end();
            } else {
                granted.remove(lock);
            }
            return closed;
        }

        private void free() {
            if (reserved.compareAndSet(true, false)) {
                core.locks().release(range);
            }
        }

        /** Nobody will hold the lock. What is granted all the same goes back before the range is free in the table. */
        void giveUp() {
            Futures.whenDone(
                    asked.handle((given, thrown) -> thrown == null && given)
                            .thenCompose(given -> given ? release(range) : CompletableFuture.completedFuture(null)),
                    (done, thrown) -> free());
        }
    }

    private void acquireLocking() throws IOException {
        try {
            locking.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for a lock");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** Completes with whether it was granted. Does not block. */
    private CompletableFuture<Boolean> lock(HeldLocks.Range range, boolean waits) {
        return switch (state.lockLocally(range)) {
            case DONE -> CompletableFuture.completedFuture(true);
            case DENIED -> CompletableFuture.completedFuture(false);
            case WAIT -> state.recalled().thenCompose(ended -> lock(range, waits));
            case ASK -> lockOnServer(range, waits);
        };
    }

    private CompletableFuture<Boolean> lockOnServer(HeldLocks.Range range, boolean waits) {
        return Futures.begin(state::makeKnown)
                .thenCompose(known -> state.call(new LockRequest(state, range, false, waits)))
                .thenApply(outcome -> {
                    boolean granted = outcome.denied() == null;
                    if (granted) {
                        state.locks().add(range, outcome.stateId());
                    }
                    return granted;
                })
                .whenComplete((granted, thrown) -> state.locks().asks(null));
    }

    boolean isLocked(long position, long size, boolean shared) throws IOException {
        HeldLocks.Range range = range(position, size, shared);
        lifetime.enter();
        try {
            requireOpen.run();
            return switch (state.testLocally(range)) {
                case DONE -> false;
                case DENIED -> true;
                case ASK, WAIT -> Blocking.await(state.call(new LockTestRequest(state, range)));
            };
        } finally {
            lifetime.exit();
        }
    }

    /** Releases what is still held, before the file is closed. */
    CompletableFuture<Void> releaseAll() {
        closing = true;
        waiters.hint(state.handle(), state.owner()); // who waits asks again, and finds the file closed
        // a lock that is on its way is to be given back before CLOSE
        return attempt.handle((done, thrown) -> null).thenCompose(done -> releaseHeld());
    }

    private CompletableFuture<Void> releaseHeld() {
        CompletableFuture<Void> chain = CompletableFuture.completedFuture(null);
        for (HeldLocks.Range range : state.locks().all()) {
            chain = chain.thenCompose(done -> release(range));
        }
        return chain.whenComplete((done, thrown) -> {
            granted.forEach(HeldLock::end);
            askings.forEach(Asking::free);
        });
    }

    private CompletableFuture<Void> release(HeldLocks.Range range) {
        return switch (state.unlockLocally(range)) {
            case DONE, DENIED -> CompletableFuture.completedFuture(null);
            case WAIT -> state.recalled().thenCompose(ended -> release(range));
            case ASK -> releaseOnServer(range);
        };
    }

    private CompletableFuture<Void> releaseOnServer(HeldLocks.Range range) {
        if (!state.locks().holds(range)) {
            return CompletableFuture.completedFuture(null);
        }
        UnlockRequest request = new UnlockRequest(state, range);
        // where only local locks were lost, those that the server knows are still there to be released
        return (state.locks().lost() == null ? state.call(request) : state.callWithoutLocks(request))
                .thenAccept(stateId -> state.locks().remove(range, stateId));
    }

    private static HeldLocks.Range range(long position, long size, boolean shared) {
        if (position < 0 || size <= 0) {
            throw new IllegalArgumentException("a lock at " + position + " of " + size + " octets: the position is 0 or"
                    + " more and the size at least 1");
        }
        // what would reach beyond the largest offset reaches to the end
        boolean toEnd = size == Long.MAX_VALUE || size > Long.MAX_VALUE - position;
        return new HeldLocks.Range(
                position, toEnd ? HeldLocks.TO_END : size, shared ? LockType.READ_LT : LockType.WRITE_LT);
    }

    /** Tells the holders of what is not held any more. */
    private void tellLost() {
        for (HeldLock lock : granted) {
            if (!state.locks().holds(lock.range)) {
                lock.lose();
            }
        }
    }

    private final class HeldLock implements RemoteLock {
        private final long position;
        private final long size;
        private final HeldLocks.Range range;
        private final AtomicBoolean released = new AtomicBoolean();
        /** Completes with why it was lost, where it was. */
        private final CompletableFuture<IOException> lost = new CompletableFuture<>();

        HeldLock(long position, long size, HeldLocks.Range range) {
            this.position = position;
            this.size = size;
            this.range = range;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public boolean isShared() {
            return !range.type().isWrite();
        }

        @Override
        public boolean isValid() {
            return granted.contains(this) && !released.get() && !lost.isDone() && !lifetime.isEnded();
        }

        @Override
        public void onLost(Consumer<IOException> action) {
            Futures.whenDone(lost, (why, thrown) -> action.accept(why));
        }

        private void requireNotLost() throws IOException {
            IOException why = lost.getNow(null);
            if (why != null) {
                throw Errors.again(why);
            }
        }

        private void lose() {
            end();
            IOException why = state.locks().lost();
            Futures.complete(lost, why, null);
        }

        /** It is held no longer. */
        private void end() {
            if (granted.remove(this)) {
                core.locks().release(range);
            }
        }

        /** What was written under the lock must not come later than whoever locks next, but the lock goes in any case. */
        private CompletableFuture<Void> flushAndRelease() {
            return Futures.begin(flush)
                    .handle((done, thrown) -> thrown)
                    .thenCompose(failed -> Futures.begin(() -> release(range))
                            .handle((done, thrown) -> failed == null ? thrown : failed))
                    .thenCompose(failed -> failed == null
                            ? CompletableFuture.completedFuture(null)
                            : CompletableFuture.failedFuture(Futures.unwrap(failed)));
        }

        @Override
        public void close() throws IOException {
            if (released.compareAndSet(false, true)) {
                lifetime.enter(); // refused where the mount has ended: the lock was released before its holder said so
                try {
                    if (granted.contains(this)) {
                        CompletableFuture<Void> unlocked = flushAndRelease();
                        // not when who waits is interrupted: a LOCK of the range must not overtake the LOCKU
                        Futures.whenDone(unlocked, (done, thrown) -> end());
                        Blocking.await(unlocked);
                    } else {
                        Blocking.await(flush.get()); // a lock of the same range may be somebody else's by now
                        requireNotLost();
                    }
                } finally {
                    lifetime.exit();
                }
            }
        }
    }
}
