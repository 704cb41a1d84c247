package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.FileStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tells an inode number's successive owners apart. Where the file system keeps the time of creation, that is the
 * generation. Elsewhere the removals of an object that this server made are counted; that count lasts until the server
 * stops, so a handle from before may then name a successor of its object.
 */
final class Generations {
    /** The generation is a creation time: it must be equal. */
    static final int CREATION_TIME = 1;

    private static final int MAX_REMOVALS = 65_536;

    private final int kind;
    private final Map<Long, Long> removals = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > MAX_REMOVALS;
        }
    };

    /**
     * @param creationTimes whether the file system keeps times of creation
     * @param instance a number of this run, from 2 to 127, that tells counts of earlier runs apart
     */
    Generations(boolean creationTimes, int instance) {
        kind = creationTimes ? CREATION_TIME : instance;
    }

    int kind() {
        return kind;
    }

    /** The generation of the object that has these attributes now. */
    long of(UnixAttributes attributes) {
        return kind == CREATION_TIME ? UnixAttributes.nanos(attributes.created()) : removalsOf(attributes.ino());
    }

    /** The generation of the object that has this status now. */
    long of(FileStatus status) {
        return kind == CREATION_TIME ? UnixAttributes.nanos(UnixAttributes.created(status)) : removalsOf(status.ino());
    }

    private long removalsOf(long number) {
        synchronized (removals) {
            return removals.getOrDefault(number, 0L);
        }
    }

    /** The last name of an object has been removed. */
    void removed(long number) {
        if (kind != CREATION_TIME) {
            synchronized (removals) {
                removals.merge(number, 1L, Long::sum);
            }
        }
    }

    /** Whether a handle may name the object of this generation. */
    boolean matches(FileHandles.Identity identity, long generation) {
        return identity.kind() != kind || identity.generation() == generation;
    }
}
