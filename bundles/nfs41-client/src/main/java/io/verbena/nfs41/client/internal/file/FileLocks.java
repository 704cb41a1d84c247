package io.verbena.nfs41.client.internal.file;

import io.verbena.nfs.RemoteLock;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.state.HeldLocks;
import io.verbena.nfs41.client.internal.state.LockRequest;
import io.verbena.nfs41.client.internal.state.LockTestRequest;
import io.verbena.nfs41.client.internal.state.LockWaiters;
import io.verbena.nfs41.client.internal.state.OpenState;
import io.verbena.nfs41.client.internal.state.UnlockRequest;
import io.verbena.nfs41.client.internal.util.BinarySemaphore;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.write.OpenWriter;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Locks ranges of one open file (RFC 8881 sections 9.1 and 18.10), without the server where this client has a write
 * delegation. Thread safe; blocks.
 */
final class FileLocks {
    private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

    /** An action of the file. */
    interface Action {
        void run() throws IOException;
    }

    /** What the holder of a lock has written. */
    interface Data {
        /** Brings the writes so far to stable storage. */
        CompletableFuture<Void> flush();

        /** Nobody hears how a flush ends: see {@link OpenWriter#notHeard}. */
        void notHeard(CompletableFuture<Void> flushed);
    }

    private final OpenState state;
    private final SharedFileState core;
    private final Data data;
    private final Action requireOpen;
    private final LockWaiters waiters;
    private final MountLifetime lifetime;
    private final Runtime runtime;
    /** How long a request waits for the answers to those before it: as long as for its own. */
    private final Duration patience;

    private final Set<HeldLock> granted = ConcurrentHashMap.newKeySet();
    /**
     * Serializes requests for locks: the first creates the stateid that the next ones need. The answer releases it,
     * perhaps after the asking thread has left.
     */
    private final BinarySemaphore locking;

    private final Set<Asking> askings = ConcurrentHashMap.newKeySet();
    /** The last request for a lock, with its outcome. */
    private volatile CompletableFuture<Boolean> attempt = CompletableFuture.completedFuture(false);

    private volatile boolean closing;

    /**
     * @param requireOpen fails where the file has been closed
     */
    FileLocks(OpenState state, SharedFileState core, Data data, Action requireOpen, FileContext context) {
        this.state = state;
        this.core = core;
        this.data = data;
        this.requireOpen = requireOpen;
        this.waiters = context.lockWaiters();
        this.lifetime = context.lifetime();
        this.runtime = context.runtime();
        this.patience = context.settings().isSoft() ? context.settings().majorTimeout() : LONGEST_WAIT;
        this.locking = new BinarySemaphore(runtime);
        state.locks().onLost(this::tellLost);
    }

    Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException {
        return asking(position, size, shared, asking -> asking.ask(false));
    }

    /**
     * Asks again after a hint of the server or a pause, until the wait is over. The last request has a type that does
     * not wait: READ_LT or WRITE_LT.
     */
    Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException {
        return asking(position, size, shared, asking -> askAgain(asking, wait));
    }

    private Optional<RemoteLock> askAgain(Asking asking, Duration wait) throws IOException {
        Duration bound = wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
        long deadline = runtime.nanoTime() + bound.toNanos();
        RetryPolicy.Series retry = MountSettings.RETRIES.start(runtime::nanoTime, runtime.random()::nextDouble);
        try (LockWaiters.Waiter waiter = waiters.register(state.handle(), state.owner())) {
            while (true) {
                boolean waits = deadline - runtime.nanoTime() > 0;
                Optional<RemoteLock> lock = asking.ask(waits);
                if (lock.isPresent() || !waits) {
                    return lock;
                }
                long left = deadline - runtime.nanoTime(); // the answer may have taken long, as in a grace period
                waiter.await(Math.max(0, Math.min(left, waiters.pauseNanos(retry))));
            }
        }
    }

    private interface Locking {
        Optional<RemoteLock> by(Asking asking) throws IOException;
    }

    /** Reserves the range in the file's table while the lock is requested, and as long as it is held. */
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

    /** One thread's request for a lock. The thread may leave before the answer. */
    private final class Asking {
        private final long position;
        private final long size;
        private final HeldLocks.Range range;
        /** Whether this request still has to release the range in the table. */
        private final AtomicBoolean reserved = new AtomicBoolean(true);
        /** Whether the last request was granted. */
        private CompletableFuture<Boolean> asked = CompletableFuture.completedFuture(false);

        Asking(long position, long size, HeldLocks.Range range) {
            this.position = position;
            this.size = size;
            this.range = range;
        }

        /**
         * Asks once, as one operation. The wait between two requests is no operation: the end of the mount does not
         * wait for it.
         */
        Optional<RemoteLock> ask(boolean waits) throws IOException {
            lifetime.enter();
            try {
                requireOpen.run();
                long waitedNanos = acquireLocking();
                asked = begin(waits, waitedNanos);
                return Blocking.await(runtime, asked) ? Optional.of(held()) : Optional.empty();
            } finally {
                lifetime.exit();
            }
        }

        /** Asks the server, unless the file is closed by now. */
        private CompletableFuture<Boolean> begin(boolean waits, long waitedNanos) throws IOException {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            attempt = answer; // before the check: releaseAll() waits for this request, or this one is not sent
            try {
                requireOpen.run();
            } catch (Throwable e) {
                locking.release();
                answer.complete(false);
                throw e;
            }
            Futures.whenDoneElse(
                    Futures.begin(() -> lock(range, waits, waitedNanos)),
                    (granted, thrown) -> answered(answer, granted, thrown),
                    thrown -> answered(answer, null, thrown));
            return answer;
        }

        private void answered(CompletableFuture<Boolean> answer, Boolean granted, Throwable thrown) {
            try {
                locking.release();
            } finally {
                Futures.complete(answer, granted, thrown);
            }
        }

        private RemoteLock held() throws IOException {
            core.revalidate(); // the holder before may have changed the file
            HeldLock lock = new HeldLock(position, size, range);
            boolean owns = reserved.compareAndSet(true, false); // else the file is closed
            granted.add(lock);
            if (closing || !owns) { // checked after adding: releaseAll() has not seen this lock
                throw closedMeanwhile(lock, owns);
            }
            if (!state.locks().holds(range)) {
                lock.lose(); // meanwhile
            }
            return lock;
        }

        /** The file was closed by its user, or by the mount as that has ended. */
        private IOException closedMeanwhile(HeldLock lock, boolean owns) {
            IOException closed = lifetime.isEnded() ? lifetime.refusal(false) : new AsynchronousCloseException();
            try {
                Blocking.await(runtime, release(range));
            } catch (Throwable e) {
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

        /**
         * The thread does not take the lock. A lock that is granted all the same is released before the range is free
         * in the table.
         */
        void giveUp() {
            Futures.whenDoneElse(
                    asked.handle((given, thrown) -> thrown == null && given)
                            .thenCompose(given -> given ? release(range) : CompletableFuture.completedFuture(null)),
                    (done, thrown) -> free(),
                    thrown -> free());
        }
    }

    /** Waits for the answers to the requests before this one. Returns how long that took. */
    private long acquireLocking() throws IOException {
        try {
            if (locking.acquire(0)) {
                return 0;
            }
            long begunNanos = runtime.nanoTime();
            if (!locking.acquire(patience.toNanos())) {
                throw new ServerUnavailableException(
                        "the request for a lock of " + state.path() + " before this one has no answer within "
                                + patience.toSeconds() + " s; this one was not sent",
                        null);
            }
            return runtime.nanoTime() - begunNanos;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for a lock");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** Completes with true if the lock was granted. Does not block. */
    private CompletableFuture<Boolean> lock(HeldLocks.Range range, boolean waits, long waitedNanos) {
        return switch (state.lockLocally(range)) {
            case DONE -> CompletableFuture.completedFuture(true);
            case DENIED -> CompletableFuture.completedFuture(false);
            case WAIT -> state.recalled().thenCompose(ended -> lock(range, waits, waitedNanos));
            case ASK -> lockOnServer(range, waits, waitedNanos);
        };
    }

    private CompletableFuture<Boolean> lockOnServer(HeldLocks.Range range, boolean waits, long waitedNanos) {
        return Futures.begin(state::makeKnown)
                .thenCompose(known -> {
                    LockRequest request = new LockRequest(state, range, false, waits);
                    request.spend(waitedNanos);
                    return state.call(request);
                })
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
                case ASK, WAIT -> Blocking.await(runtime, state.call(new LockTestRequest(state, range)));
            };
        } finally {
            lifetime.exit();
        }
    }

    /** Releases all held locks, before the file is closed. */
    CompletableFuture<Void> releaseAll() {
        closing = true;
        waiters.hint(state.handle(), state.owner()); // the waiting threads ask again, and find the file closed
        // a lock that is being granted is released before CLOSE
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
        HeldLocks locks = state.locks();
        IOException before = locks.lost(); // after a loss of local locks, those that the server knows are released
        locks.releases(range);
        return state.call(new UnlockRequest(state, range), () -> unreleasable(range, before))
                .handle((stateId, thrown) -> {
                    if (thrown == null) {
                        locks.remove(range, stateId);
                    }
                    return locks.holds(range) || locks.lost() != before ? thrown : null;
                })
                .thenCompose(failed -> failed == null
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(Futures.unwrap(failed)));
    }

    /** Why there is nothing to release any more: the locks were lost since, or the server has restarted; else null. */
    private IOException unreleasable(HeldLocks.Range range, IOException before) {
        IOException lost = state.locks().lost();
        if (lost != before) {
            return lost;
        }
        return state.locks().holds(range) ? null : new IOException("the lock has ended with the server's restart");
    }

    private static HeldLocks.Range range(long position, long size, boolean shared) {
        if (position < 0 || size <= 0) {
            throw new IllegalArgumentException("a lock at " + position + " of " + size + " octets: the position is 0 or"
                    + " more and the size at least 1");
        }
        // a range beyond the largest offset reaches to the end
        boolean toEnd = size == Long.MAX_VALUE || size > Long.MAX_VALUE - position;
        return new HeldLocks.Range(
                position, toEnd ? HeldLocks.TO_END : size, shared ? LockType.READ_LT : LockType.WRITE_LT);
    }

    /** Tells the holders of lost locks. */
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
        /** Completes with the reason when the lock is lost. */
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
            Futures.whenDoneLogged(lost, (why, thrown) -> action.accept(why));
        }

        private void requireNotLost() throws IOException {
            IOException why = lost.getNow(null);
            if (why != null) {
                throw Errors.copyOf(why);
            }
        }

        private void lose() {
            end();
            IOException why = state.locks().lost();
            Futures.complete(lost, why, null);
        }

        /** The lock is not held any more. */
        private void end() {
            if (granted.remove(this)) {
                core.locks().release(range);
            }
        }

        /**
         * Brings the writes so far to stable storage, before the next holder can lock, and releases the lock even where
         * that fails. What is not on stable storage then is given up.
         */
        private CompletableFuture<Void> flushAndRelease(CompletableFuture<Void> flushed) {
            return flushed.handle((done, thrown) -> thrown)
                    .thenCompose(failed -> failed == null
                            ? CompletableFuture.<Throwable>completedFuture(null)
                            : giveUpRange(failed).thenApply(done -> failed))
                    .thenCompose(failed -> Futures.begin(() -> release(range))
                            .handle((done, thrown) -> failed == null ? thrown : failed))
                    .thenCompose(failed -> failed == null
                            ? CompletableFuture.completedFuture(null)
                            : CompletableFuture.failedFuture(Futures.unwrap(failed)));
        }

        private CompletableFuture<Void> giveUpRange(Throwable why) {
            long end = size > Long.MAX_VALUE - position ? Long.MAX_VALUE : position + size;
            return core.writes().giveUp(position, end, Futures.unwrap(why));
        }

        @Override
        public void close() throws IOException {
            if (released.compareAndSet(false, true)) {
                lifetime.enter(); // refused where the mount has ended: the lock was released before its holder said so
                try {
                    closeNow(Futures.begin(data::flush));
                } catch (IOException e) {
                    throw Errors.ofClose(e);
                } finally {
                    lifetime.exit();
                }
            }
        }

        private void closeNow(CompletableFuture<Void> flushed) throws IOException {
            try {
                if (granted.contains(this)) {
                    CompletableFuture<Void> unlocked = flushAndRelease(flushed);
                    // even if this thread is interrupted: a LOCK of the range must not overtake the LOCKU
                    Futures.whenDoneElse(unlocked, (done, thrown) -> end(), thrown -> end());
                    Blocking.await(runtime, unlocked);
                } else {
                    // the lock was lost: another owner may hold the range by now
                    Blocking.await(runtime, flushed);
                    requireNotLost();
                }
            } catch (InterruptedIOException e) {
                data.notHeard(flushed);
                throw e;
            }
        }
    }
}
