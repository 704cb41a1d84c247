package io.verbena.cli.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Holds services by name, and waits for them to come and go. */
final class NamedServices<T> {
    @GuardedBy("this")
    private final Map<String, T> services = new TreeMap<>();

    synchronized void add(String name, T service) {
        services.put(name, service);
        notifyAll();
    }

    /** Removes the service, unless its successor is already present. */
    synchronized void remove(String name, T service) {
        services.remove(name, service);
        notifyAll();
    }

    synchronized Optional<T> find(String name) {
        return Optional.ofNullable(services.get(name));
    }

    synchronized List<T> all() {
        return new ArrayList<>(services.values());
    }

    synchronized List<String> names() {
        return new ArrayList<>(services.keySet());
    }

    /** Waits until a service with the name is present and the test accepts it; empty after the timeout. */
    synchronized Optional<T> await(String name, Predicate<T> test, Duration timeout) throws InterruptedException {
        awaitState(name, service -> service != null && test.test(service), timeout);
        return find(name).filter(test);
    }

    /** Waits until no service with the name is present; false after the timeout. */
    synchronized boolean awaitGone(String name, Duration timeout) throws InterruptedException {
        awaitState(name, service -> service == null, timeout);
        return !services.containsKey(name);
    }

    private synchronized void awaitState(String name, Predicate<T> test, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!test.test(services.get(name))) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
