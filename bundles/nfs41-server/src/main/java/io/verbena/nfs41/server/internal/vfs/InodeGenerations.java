package io.verbena.nfs41.server.internal.vfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.dirfd.FileStatus;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Distinguishes the successive objects of an inode number. If the file system keeps creation times, the creation time
 * is the generation. Otherwise the generation counts the removals of objects of that number by this server, since it
 * started; a handle from an earlier run may then name a successor of its object.
 */
final class InodeGenerations {
    /** The generation is a creation time, and must be equal. */
    static final int CREATION_TIME = 1;

    private static final int MAX_REMOVALS = 65_536;

    private final int kind;

    @GuardedBy("itself")
    private final Map<Long, Long> removals = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > MAX_REMOVALS;
        }
    };

    /**
     * @param creationTimes whether the file system keeps creation times
     * @param instance the number of this run, from 2 to 127, which distinguishes its counts from those of earlier runs
     */
    InodeGenerations(boolean creationTimes, int instance) {
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
