package io.verbena.nfs41.server.internal.attribute;

import java.util.List;

/**
 * The user of a request, after squashing.
 *
 * @param uid an unsigned number of 32 bits; 0 passes every check, but cannot execute a file without an execute bit
 * @param gid likewise
 * @param groups further groups
 */
public record Caller(int uid, int gid, List<Integer> groups) {
    public static final int READ = 4;
    public static final int WRITE = 2;
    public static final int EXECUTE = 1;

    /** The server itself. */
    public static final Caller ROOT = new Caller(0, 0, List.of());

    public Caller {
        groups = List.copyOf(groups);
    }

    public boolean isRoot() {
        return uid == 0;
    }

    public boolean isIn(int group) {
        return gid == group || groups.contains(group);
    }

    public boolean owns(UnixAttributes attributes) {
        return isRoot() || attributes.uid() == uid;
    }

    /** Which of READ, WRITE and EXECUTE (search) the mode bits allow. */
    public int allowed(UnixAttributes attributes) {
        int mode = attributes.mode();
        if (isRoot()) {
            boolean executable = attributes.isDirectory() || (mode & 0111) != 0;
            return READ | WRITE | (executable ? EXECUTE : 0);
        }
        if (attributes.uid() == uid) {
            return mode >> 6 & 7;
        }
        return isIn(attributes.gid()) ? mode >> 3 & 7 : mode & 7;
    }

    public boolean may(UnixAttributes attributes, int wanted) {
        return (allowed(attributes) & wanted) == wanted;
    }

    /** Whether an entry of a directory may be removed or replaced, the directory being writable (sticky bit). */
    public boolean mayRemoveFrom(UnixAttributes directory, UnixAttributes entry) {
        return (directory.mode() & 01000) == 0 || owns(directory) || owns(entry);
    }
}
