package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.Status;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Who waits for a lock that was denied, and may be told by CB_NOTIFY_LOCK that it can be had. Thread safe. */
final class LockWaiters {
    /** How long to wait for a hint that may have been lost on its way. */
    private static final long HINTED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Waits waits;
    private volatile boolean hinting;
    private final Map<Key, Set<Waiter>> waiters = new ConcurrentHashMap<>();

    /**
     * @param waits told of each who waits
     */
    LockWaiters(Waits waits) {
        this.waits = waits;
    }

    private record Key(FileHandle file, Opaque owner) {}

    /** One thread's wait; a lock-owner may have several. */
    final class Waiter implements AutoCloseable {
        private final Key key;
        private final Semaphore hints = new Semaphore(0);

        private Waiter(Key key) {
            this.key = key;
        }

        /**
         * Waits for a hint, but no longer than that; one that came since the last wait counts.
         *
         * @return whether there was one
         */
        boolean await(long nanos) throws InterruptedIOException {
            waits.begin(this, Status.NFS4ERR_DENIED, Opcode.LOCK);
            try {
                boolean hinted = hints.tryAcquire(nanos, TimeUnit.NANOSECONDS);
                hints.drainPermits();
                return hinted;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a lock");
            }
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
     * Takes what OPEN told.
     *
     * @param flags its result flags, with OPEN4_RESULT_MAY_NOTIFY_LOCK or without (RFC 8881 section 18.16.3)
     */
    void opened(int flags) {
        hinting = (flags & Open.RESULT_MAY_NOTIFY_LOCK) != 0;
    }

    /**
     * How long to wait before a lock is asked for again without a hint.
     */
    long pauseNanos(Retry retry) {
        return hinting ? HINTED_PAUSE_NANOS : TimeUnit.MILLISECONDS.toNanos(retry.nextDelayMillis());
    }

    /** To be called before the lock is asked for, so that no hint is missed. */
    Waiter register(FileHandle file, Opaque owner) {
        Waiter waiter = new Waiter(new Key(file, owner));
        waiters.compute(waiter.key, (key, present) -> {
            Set<Waiter> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(waiter);
            return all;
        });
        return waiter;
    }

    /** A lock of that owner's may be had now (RFC 8881 section 20.11): a hint, which nobody may be waiting for. */
    void hint(FileHandle file, Opaque owner) {
        waiters.getOrDefault(new Key(file, owner), Set.of()).forEach(waiter -> waiter.hints.release());
    }

    /** All look again, as the mount has ended. */
    void wake() {
        waiters.values().forEach(all -> all.forEach(waiter -> waiter.hints.release()));
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }
}
