package io.verbena.nfs41.server.internal.ops;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What takes turns, by its key. No step but {@link #add} allocates, so that a lack of memory loses nothing that
 * waits. Not thread safe.
 */
final class Turns<K, V> {
    private final Map<K, Turn<K, V>> all = new HashMap<>();
    private final Deque<Turn<K, V>> order = new ArrayDeque<>(); // whose turn it is first

    private record Turn<K, V>(K key, V value) {}

    V get(K key) {
        Turn<K, V> found = all.get(key);
        return found == null ? null : found.value;
    }

    /** Adds one, or changes nothing where it throws. */
    void add(K key, V value) {
        Turn<K, V> added = new Turn<>(key, value);
        order.addLast(added);
        boolean done = false;
        try {
            all.put(key, added);
            done = true;
        } finally {
            if (!done) {
                order.removeLast();
            }
        }
    }

    V first() {
        return order.getFirst().value;
    }

    /** The first one has had its turn: it goes, or is the last one. */
    void next(boolean goes) {
        Turn<K, V> first = order.removeFirst();
        if (goes) {
            all.remove(first.key);
        } else {
            order.addLast(first);
        }
    }

    void remove(K key) {
        order.remove(all.remove(key));
    }

    boolean isEmpty() {
        return order.isEmpty();
    }

    Stream<V> values() {
        return order.stream().map(Turn::value);
    }
}
