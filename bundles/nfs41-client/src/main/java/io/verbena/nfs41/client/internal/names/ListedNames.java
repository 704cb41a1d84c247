package io.verbena.nfs41.client.internal.names;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The names that a listing has returned, so that a listing that starts over returns no name twice. Keeps a hash of 64
 * bits under a random key for each name, in at most 16 MiB, for at most {@link #MOST} names. Not thread safe.
 */
final class ListedNames {
    /** The most names: two of that many have the same hash with a probability of 3 in 100 million. */
    static final int MOST = 1 << 20;

    private static final int FIRST_CAPACITY = 256;
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    private final long key;
    private final int most;
    /** By linear probing; 0 is a free place. At most half of the places are taken. */
    private long[] places = new long[FIRST_CAPACITY];

    private int size;
    private boolean overflowed;

    ListedNames(RandomGenerator random) {
        this(MOST, random);
    }

    /**
     * @param most how many names are kept
     * @param random draws the key
     */
    ListedNames(int most, RandomGenerator random) {
        this.most = most;
        this.key = random.nextLong();
    }

    /** Adds a name. False where the name was there already; true for each name that finds no room. */
    boolean add(String name) {
        long hash = hash(name);
        int place = place(hash);
        if (places[place] == hash) {
            return false;
        }
        if (size == most) {
            overflowed = true;
            return true;
        }
        places[place] = hash;
        size++;
        if (2 * size > places.length) {
            grow();
        }
        return true;
    }

    int size() {
        return size;
    }

    /** Whether all added names are kept. */
    boolean isWhole() {
        return !overflowed;
    }

    private void grow() {
        long[] before = places;
        places = new long[before.length * 2];
        Arrays.stream(before).filter(hash -> hash != 0).forEach(hash -> places[place(hash)] = hash);
    }

    /** The place of the hash, or the free place for it. */
    private int place(long hash) {
        int mask = places.length - 1;
        int place = (int) (hash >>> 32) & mask;
        while (places[place] != 0 && places[place] != hash) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private long hash(String name) {
        long hash = key;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * MULTIPLIER;
            hash ^= hash >>> 29;
        }
        hash = (hash ^ key ^ name.length()) * MULTIPLIER;
        hash ^= hash >>> 32;
        return hash == 0 ? 1 : hash;
    }
}
