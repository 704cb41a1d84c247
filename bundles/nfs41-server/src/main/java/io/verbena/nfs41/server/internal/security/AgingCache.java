package io.verbena.nfs41.server.internal.security;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Values of a bounded number and a bounded age. The least used one goes first. Thread safe. */
final class AgingCache<K, V> {
    static final int MAX_ENTRIES = 1024;

    /** How long what was found is kept: whoever leaves a group has left it by then. */
    private static final long FOUND_NANOS = Duration.ofMinutes(5).toNanos();

    /** How long it is kept that nothing was found. */
    private static final long ABSENT_NANOS = Duration.ofSeconds(30).toNanos();

    private final Runtime runtime;

    @GuardedBy("this")
    private final Map<K, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);

    private record Entry<V>(V value, long untilNanos) {}

    AgingCache(Runtime runtime) {
        this.runtime = runtime;
    }

    /** The value of a key, or null if there is none, or none that is young enough. */
    synchronized V get(K key) {
        Entry<V> found = entries.get(key);
        if (found == null) {
            return null;
        }
        if (runtime.nanoTime() - found.untilNanos >= 0) {
            entries.remove(key);
            return null;
        }
        return found.value;
    }

    /** @param isFound whether the value says that something was found */
    synchronized void put(K key, V value, boolean isFound) {
        entries.put(key, new Entry<>(value, runtime.nanoTime() + (isFound ? FOUND_NANOS : ABSENT_NANOS)));
        if (entries.size() > MAX_ENTRIES) {
            K eldest = entries.keySet().iterator().next();
            entries.remove(eldest);
        }
    }

    synchronized int size() {
        return entries.size();
    }
}
