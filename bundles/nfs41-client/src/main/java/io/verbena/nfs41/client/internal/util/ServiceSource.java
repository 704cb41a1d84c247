package io.verbena.nfs41.client.internal.util;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.MissingServiceException;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The present service of a mount, or the next one: a service may come, go and be replaced. Thread safe.
 *
 * @param <S> the service
 */
public class ServiceSource<S> {
    private final String name;
    private final String remedy;
    private final Runtime runtime;
    private final Lock lock = new ReentrantLock();
    /** A service has come. */
    private final Condition came;

    @GuardedBy("lock")
    private S service;

    /** When the last service went. */
    @GuardedBy("lock")
    private long missingSinceNanos;

    /**
     * @param name of the service, for messages
     * @param remedy what to do where there is none
     * @param present null where there is none yet
     */
    public ServiceSource(String name, String remedy, S present, Runtime runtime) {
        this.name = name;
        this.remedy = remedy;
        this.service = present;
        this.runtime = runtime;
        this.came = runtime.newCondition(lock);
        this.missingSinceNanos = runtime.nanoTime();
    }

    /** A service has come. */
    public final void set(S newService) {
        lock.lock();
        try {
            service = newService;
            came.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The service has gone. Without effect where another one has come already. */
    public final void unset(S oldService) {
        lock.lock();
        try {
            if (service == oldService) {
                service = null;
                missingSinceNanos = runtime.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether that one is the present service. */
    public final boolean isPresent(S candidate) {
        return present() == candidate;
    }

    /** Whether there is none. */
    public final boolean isMissing() {
        return present() == null;
    }

    /** The present service, or null. */
    public final S present() {
        lock.lock();
        try {
            return service;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The service. Blocks until one comes, or none has been there for the timeout.
     *
     * @throws MissingServiceException where none comes in time
     */
    public final S await(Duration timeout) throws IOException {
        lock.lock();
        try {
            while (service == null) {
                // counted anew at each turn: a service may have come and gone before this thread ran
                long left = missingSinceNanos + timeout.toNanos() - runtime.nanoTime();
                if (left <= 0) {
                    throw new MissingServiceException("no " + name + " has been there for " + timeout.toSeconds()
                            + " s (swapTimeout): " + remedy);
                }
                var unused = came.awaitNanos(left);
            }
            return service;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + name);
        } finally {
            lock.unlock();
        }
    }
}
