package io.verbena.nfs.transfer.internal.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Records temporary files that copies could not remove because their server could not be reached. The next copy to the
 * same place removes them. The records exist until this bundle stops. Thread safe.
 */
public final class StaleTemporaryFiles {
    private static final int MAX_PLACES = 1000;

    /** The files by the target of their copy, the oldest first. */
    @GuardedBy("this")
    private final Map<String, List<Leftover>> places = new LinkedHashMap<>();

    /**
     * An unused file, with its identity, because another file may have its name by now.
     *
     * @param path the path on the mount
     * @param fileSystemMajor the major number of the file system
     * @param fileSystemMinor the minor number of the file system
     * @param fileId the number of the file
     */
    public record Leftover(String path, long fileSystemMajor, long fileSystemMinor, long fileId) {}

    /** Records a temporary file that was left behind by a copy to a target. */
    public synchronized void add(String place, Leftover leftover) {
        if (places.size() >= MAX_PLACES) {
            places.remove(places.keySet().iterator().next());
        }
        places.computeIfAbsent(place, key -> new ArrayList<>()).add(leftover);
    }

    /** Returns and forgets the temporary files that copies to a target left behind. */
    public synchronized List<Leftover> take(String place) {
        List<Leftover> left = places.remove(place);
        return left == null ? List.of() : left;
    }
}
