package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.callback.LockCallbacks;
import io.verbena.nfs41.client.internal.figures.CurrentWaits;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.runtime.Runtime;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The threads that wait for a denied lock. CB_NOTIFY_LOCK wakes them. Thread safe. */
public final class LockWaiters implements LockCallbacks {
    /** How long to wait for a CB_NOTIFY_LOCK, which may be lost. */
    private static final long HINTED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final CurrentWaits waits;
    private final Runtime runtime;
    private volatile boolean hinting;
    private final Map<Key, Set<Waiter>> waiters = new ConcurrentHashMap<>();

    /** @param waits the table in which each wait is reported */
    public LockWaiters(CurrentWaits waits, Runtime runtime) {
        this.waits = waits;
        this.runtime = runtime;
    }

    private record Key(FileHandle file, Opaque owner) {}

    /** The wait of one thread; a lock-owner may have several. */
    public final class Waiter implements AutoCloseable {
        private final Key key;
        /** The next hint; completed where one has come since the last wait. */
        private volatile CompletableFuture<Void> hint = new CompletableFuture<>();

        private Waiter(Key key) {
            this.key = key;
        }

        /**
         * Waits for a hint at most that long. A hint since the last wait counts. Blocks.
         *
         * @return whether there was one
         */
        public boolean await(long nanos) throws InterruptedIOException {
            waits.begin(this, Status.NFS4ERR_DENIED, Opcode.LOCK);
            try {
                runtime.await(hint, nanos);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a lock");
            } catch (ExecutionException e) {
                throw new IllegalStateException("a hint does not fail", e);
            } finally {
                // a hint that came in between is known already: the caller asks for the lock after each wait
                hint = new CompletableFuture<>();
            }
        }

        private void hint() {
            hint.complete(null);
        }

        @Override
        public void close() {
            waits.end(this);
            waiters.computeIfPresent(key, (same, all) -> {
                all.remove(this);
                return all.isEmpty() ? null : all;
            });
        }
    }

    /**
     * Takes the result flags of an OPEN.
     *
     * @param flags with OPEN4_RESULT_MAY_NOTIFY_LOCK or without (RFC 8881 section 18.16.3)
     */
    public void opened(int flags) {
        hinting = (flags & Open.RESULT_MAY_NOTIFY_LOCK) != 0;
    }

    /** How long to wait before a lock is requested again without a hint. */
    public long pauseNanos(RetryPolicy.Series retry) {
        return hinting ? HINTED_PAUSE_NANOS : retry.nextPauseNanos();
    }

    /** Registers a waiter, before the lock is requested, so that no hint is missed. */
    public Waiter register(FileHandle file, Opaque owner) {
        Waiter waiter = new Waiter(new Key(file, owner));
        waiters.compute(waiter.key, (key, present) -> {
            Set<Waiter> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(waiter);
            return all;
        });
        return waiter;
    }

    /** The owner may get its lock now (RFC 8881 section 20.11). Without effect where no thread waits for it. */
    @Override
    public void hint(FileHandle file, Opaque owner) {
        waiters.getOrDefault(new Key(file, owner), Set.of()).forEach(Waiter::hint);
    }

    /** Wakes all waiters, as the mount has ended. */
    public void wake() {
        waiters.values().forEach(all -> all.forEach(Waiter::hint));
    }

    public boolean isEmpty() {
        return waiters.isEmpty();
    }
}
