package io.verbena.nfs.nio.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** The services of one type, by name, as they come and go. Thread safe. */
public final class NamedServices<T> {
    private final Lock lock = new ReentrantLock();
    private final Condition added;

    @GuardedBy("lock")
    private final Map<T, String> all = new LinkedHashMap<>();

    public NamedServices(Runtime runtime) {
        added = runtime.newCondition(lock);
    }

    public void add(String name, T one) {
        lock.lock();
        try {
            all.put(one, name);
            added.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public void remove(T one) {
        lock.lock();
        try {
            all.remove(one);
        } finally {
            lock.unlock();
        }
    }

    /** The service of that name that came last and passes the test. */
    public Optional<T> find(String name, Predicate<T> test) {
        lock.lock();
        try {
            return findNow(name, test);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Optional<T> findNow(String name, Predicate<T> test) {
        return all.entrySet().stream()
                .filter(entry -> entry.getValue().equals(name) && test.test(entry.getKey()))
                .map(Map.Entry::getKey)
                .reduce((earlier, later) -> later);
    }

    /** As {@link #find}; waits until such a service comes or the time is over. */
    Optional<T> await(String name, Predicate<T> test, Duration timeout) throws IOException {
        long left = timeout.toNanos();
        lock.lock();
        try {
            Optional<T> found = findNow(name, test);
            while (found.isEmpty() && left > 0) {
                left = added.awaitNanos(left);
                found = findNow(name, test);
            }
            return found;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for a mount");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            lock.unlock();
        }
    }
}
