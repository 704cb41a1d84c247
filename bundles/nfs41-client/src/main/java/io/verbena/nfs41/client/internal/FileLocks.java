package io.verbena.nfs41.client.internal;

import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.LockT;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Locks ranges of one open file; without the server where the file is delegated to this client for writing. */
final class FileLocks {
    private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

    /** What the file itself does about its locks. */
    interface Action {
        void run() throws IOException;
    }

    private final OpenState state;
    private final FileCore core;
    private final Action flush;
    private final Action requireOpen;
    private final LockWaiters waiters;
    private final Lifetime lifetime;
    private final Set<HeldLock> granted = ConcurrentHashMap.newKeySet();
    /** One lock at a time: the first makes the stateid that the next ones need. */
    private final Object locking = new Object();

    /**
     * @param flush brings to the server what was written so far
     * @param requireOpen fails where the file has been closed
     */
    FileLocks(OpenState state, FileCore core, Action flush, Action requireOpen, FileContext context) {
        this.state = state;
        this.core = core;
        this.flush = flush;
        this.requireOpen = requireOpen;
        this.waiters = context.lockWaiters();
        this.lifetime = context.lifetime();
        state.locks().onLost(this::tellLost);
    }

    Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException {
        HeldLocks.Range range = range(position, size, shared);
        return reserved(range, () -> held(attemptIfGoing(range, false), position, size, range));
    }

    /** Asks again when the server hints at it or some time has passed; the last time as one who will not ask again. */
    Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException {
        HeldLocks.Range range = range(position, size, shared);
        return reserved(range, () -> tryLock(range, position, size, wait));
    }

    private Optional<RemoteLock> tryLock(HeldLocks.Range range, long position, long size, Duration wait)
            throws IOException {
        Duration bound = wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
        long deadline = System.nanoTime() + bound.toNanos();
        Retry retry = new Retry();
        try (LockWaiters.Waiter waiter = waiters.register(state.handle(), state.owner())) {
            while (true) {
                long left = deadline - System.nanoTime();
                boolean locked = attemptIfGoing(range, left > 0);
                if (locked || left <= 0) {
                    return held(locked, position, size, range);
                }
                waiter.await(Math.min(left, waiters.pauseNanos(retry)));
            }
        }
    }

    private interface Locking {
        Optional<RemoteLock> run() throws IOException;
    }

    /** Keeps the range in the file's table while the lock is asked for, and as long as it is held. */
    private Optional<RemoteLock> reserved(HeldLocks.Range range, Locking locking) throws IOException {
        core.locks().reserve(range);
        boolean locked = false;
        try {
            Optional<RemoteLock> lock = locking.run();
            locked = lock.isPresent();
            return lock;
        } finally {
            if (!locked) {
                core.locks().release(range);
            }
        }
    }

    /** One attempt is an operation; the wait for the next is none, so that the mount's end need not wait for it. */
    private boolean attemptIfGoing(HeldLocks.Range range, boolean waits) throws IOException {
        lifetime.enter();
        try {
            requireOpen.run();
            return attempt(range, waits);
        } finally {
            lifetime.exit();
        }
    }

    private Optional<RemoteLock> held(boolean locked, long position, long size, HeldLocks.Range range) {
        if (!locked) {
            return Optional.empty();
        }
        core.revalidate(); // who held it before may have changed the file
        HeldLock lock = new HeldLock(position, size, range);
        granted.add(lock);
        if (!state.locks().holds(range)) {
            lock.lose(); // meanwhile
        }
        return Optional.of(lock);
    }

    private boolean attempt(HeldLocks.Range range, boolean waits) throws IOException {
        synchronized (locking) {
            Delegation.LockAnswer answer = state.lockLocally(range);
            while (answer == Delegation.LockAnswer.WAIT) {
                Blocking.await(state.recalled());
                answer = state.lockLocally(range);
            }
            return answer == Delegation.LockAnswer.DONE
                    || (answer == Delegation.LockAnswer.ASK && lockOnServer(range, waits));
        }
    }

    private boolean lockOnServer(HeldLocks.Range range, boolean waits) throws IOException {
        try {
            Blocking.await(state.makeKnown());
            LockRequest.Outcome outcome = Blocking.await(state.call(new LockRequest(state, range, false, waits)));
            if (outcome.denied() == null) {
                state.locks().add(range, outcome.stateId());
            }
            return outcome.denied() == null;
        } finally {
            state.locks().asks(null);
        }
    }

    boolean isLocked(long position, long size, boolean shared) throws IOException {
        HeldLocks.Range range = range(position, size, shared);
        lifetime.enter();
        try {
            requireOpen.run();
            return switch (state.testLocally(range)) {
                case DONE -> false;
                case DENIED -> true;
                case ASK, WAIT -> Blocking.await(state.call(new LockTest(state, range)));
            };
        } finally {
            lifetime.exit();
        }
    }

    /** Releases what is still held, before the file is closed. */
    CompletableFuture<Void> releaseAll() {
        CompletableFuture<Void> chain = CompletableFuture.completedFuture(null);
        for (HeldLocks.Range range : state.locks().all()) {
            chain = chain.thenCompose(done -> release(range));
        }
        return chain.whenComplete((done, thrown) -> granted.forEach(HeldLock::end));
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
        Unlock request = new Unlock(state, range);
        // where only local locks were lost, those that the server knows are still there to be released
        return (state.locks().lost() == null ? state.call(request) : state.callWithoutLocks(request))
                .thenAccept(stateId -> state.locks().remove(range, stateId));
    }

    private void flushAndRelease(HeldLocks.Range range) throws IOException {
        try {
            flush.run(); // what was written under the lock must not come later than whoever locks next
        } catch (IOException | RuntimeException e) {
            try {
                Blocking.await(release(range));
            } catch (IOException | RuntimeException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
        Blocking.await(release(range));
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
            return granted.contains(this) && !lost.isDone() && !lifetime.isEnded();
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

        @Override
        public void close() throws IOException {
            if (released.compareAndSet(false, true)) {
                lifetime.enter(); // refused where the mount has ended: the lock was released before its holder said so
                try {
                    if (granted.contains(this)) {
                        flushAndRelease(range);
                    } else {
                        flush.run(); // a lock of the same range may be somebody else's by now
                        requireNotLost();
                    }
                } finally {
                    end();
                    lifetime.exit();
                }
            }
        }
    }

    private static final class LockTest extends Request<Boolean> {
        private final OpenState state;
        private final HeldLocks.Range range;

        LockTest(OpenState state, HeldLocks.Range range) {
            this.state = state;
            this.range = range;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle());
            StateOwner owner = new StateOwner(0, state.owner());
            LockT.encodeArgs(operations.next(), new LockT.Args(range.type(), range.offset(), range.length(), owner));
        }

        @Override
        Boolean decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            Status status = results.status(Opcode.LOCKT);
            if (status == Status.NFS4ERR_DENIED) {
                LockT.decodeDenied(results.body());
                return true;
            }
            if (!status.isOk()) {
                throw results.failure(status, Opcode.LOCKT);
            }
            return false;
        }
    }

    private static final class Unlock extends Request<StateId> {
        private final OpenState state;
        private final HeldLocks.Range range;

        Unlock(OpenState state, HeldLocks.Range range) {
            this.state = state;
            this.range = range;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle());
            StateId locks = state.locks().stateId();
            LockU.encodeArgs(
                    operations.next(),
                    new LockU.Args(
                            range.type(),
                            0,
                            locks == null ? StateId.ANONYMOUS : locks.withoutSeqid(),
                            range.offset(),
                            range.length()));
        }

        @Override
        StateId decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return LockU.decodeResult(results.next(Opcode.LOCKU)).stateId();
        }

        @Override
        boolean isCached() {
            return true;
        }
    }
}
