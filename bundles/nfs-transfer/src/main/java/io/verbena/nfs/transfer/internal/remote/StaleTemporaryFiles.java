package io.verbena.nfs.transfer.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
     * @param identity empty if no answer of the server has told it: the random name alone identifies the file then
     */
    public record Leftover(String path, Optional<Identity> identity) {
        /**
         * The identity of a file within its server.
         *
         * @param fileSystemMajor the major number of the file system
         * @param fileSystemMinor the minor number of the file system
         * @param fileId the number of the file
         */
        public record Identity(long fileSystemMajor, long fileSystemMinor, long fileId) {
            static Identity of(FileVersion file) {
                return new Identity(file.fileSystemMajor(), file.fileSystemMinor(), file.fileId());
            }
        }

        /** Returns whether a file that has the path is this one, as far as is known. */
        boolean isPerhaps(FileVersion there) {
            return identity.isEmpty() || identity.get().equals(Identity.of(there));
        }
    }

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
