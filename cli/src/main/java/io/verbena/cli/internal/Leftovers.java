package io.verbena.cli.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The temporary files that copies had to leave on servers that could not be reached, to be removed by the next copy to the
 * same place; known for as long as this bundle runs. Thread safe.
 */
public final class Leftovers {
    private static final int MAX_PLACES = 1000;

    // guarded by this; by what was to be written, the oldest first
    private final Map<String, List<Leftover>> places = new LinkedHashMap<>();

    /**
     * A file that nobody needs, told from others that may have its name since.
     *
     * @param path on its mount
     */
    public record Leftover(String path, long fileSystemMajor, long fileSystemMinor, long fileId) {}

    /** One was left in place of that file. */
    public synchronized void add(String place, Leftover leftover) {
        if (places.size() >= MAX_PLACES) {
            places.remove(places.keySet().iterator().next());
        }
        places.computeIfAbsent(place, key -> new ArrayList<>()).add(leftover);
    }

    /** What was left in place of that file, which is forgotten. */
    public synchronized List<Leftover> take(String place) {
        List<Leftover> left = places.remove(place);
        return left == null ? List.of() : left;
    }
}
