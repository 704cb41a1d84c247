package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
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

    /**
     * Whether a directory's file system, and the JDK, tell times of creation: where not, the JDK tells the time of
     * modification instead. For a directory that has not been changed since it was made, the two are told apart by
     * setting the latter for a moment.
     */
    static boolean areCreationTimesKept(Path directory, UnixAttributes attributes) throws IOException {
        if (!attributes.created().equals(attributes.modified())) {
            return true;
        }
        FileTime modified = attributes.modified();
        try {
            Files.setLastModifiedTime(
                    directory, FileTime.from(modified.toInstant().minusSeconds(1)));
            boolean kept = UnixAttributes.read(directory).created().equals(modified);
            Files.setLastModifiedTime(directory, modified);
            return kept;
        } catch (FileSystemException e) {
            return false; // not this process's own directory: without creation times handles work, too
        }
    }

    int kind() {
        return kind;
    }

    /** The generation of the object that has these attributes now. */
    long of(UnixAttributes attributes) {
        if (kind == CREATION_TIME) {
            return UnixAttributes.nanos(attributes.created());
        }
        synchronized (removals) {
            return removals.getOrDefault(attributes.ino(), 0L);
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
