package io.verbena.nfs.nio.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** What is there of a kind, by name, as it comes and goes. Thread safe. */
final class Present<T> {
    private final Map<T, String> all = new LinkedHashMap<>();

    synchronized void add(String name, T one) {
        all.put(one, name);
        notifyAll();
    }

    synchronized void remove(T one) {
        all.remove(one);
    }

    /** The latest of that name. */
    synchronized Optional<T> find(String name, Predicate<T> test) {
        return all.entrySet().stream()
                .filter(entry -> entry.getValue().equals(name) && test.test(entry.getKey()))
                .map(Map.Entry::getKey)
                .reduce((earlier, later) -> later);
    }

    /** As {@link #find}, waiting for it. */
    synchronized Optional<T> await(String name, Predicate<T> test, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Optional<T> found = find(name, test);
        try {
            for (long left = timeout.toNanos(); found.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
                found = find(name, test);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for a mount");
            interrupted.initCause(e);
            throw interrupted;
        }
        return found;
    }
}
