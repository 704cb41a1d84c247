package io.verbena.itests.model;

/** The kinds of steps. {@code -Dverbena.model.kinds=READ,WRITE} has a run take those alone, and what they need. */
public enum Kind {
    /** A door is opened; every other kind opens one where it needs it. */
    OPEN(6),
    CLOSE(4),
    /** Channels, at their own positions. */
    READ(10),
    WRITE(10),
    POSITION(5),
    /** At a position that is given. */
    READ_AT(8),
    WRITE_AT(10),
    READ_ASYNC(8),
    WRITE_ASYNC(12),
    /** Waits for one of the asynchronous calls, or for all. */
    AWAIT(6),
    /** Doors are opened for APPEND, and written through. */
    APPEND(8),
    TRUNCATE(3),
    SIZE(3),
    SYNC(3),
    LOCK(4),
    /** A lock over one that the same mount holds. */
    LOCK_OVERLAP(2),
    /** A lock that another mount holds is waited for, and then released there. */
    LOCK_WAIT(4),
    UNLOCK(4),
    /** Whether somebody else's lock is in the way. */
    TEST_LOCK(2),
    /** One mount syncs and the other opens or locks the file, and so sees all. */
    SHARE(4),
    /** A whole file by {@link java.nio.file.Files}. */
    WHOLE_READ(3),
    WHOLE_WRITE(2),
    CREATE_NEW(2),
    RENAME(2),
    LINK(1),
    REMOVE(1),
    /** Of a file that is open, or by a file that takes its name. */
    REMOVE_OPEN(1),
    /** Of a directory, with the files in it. */
    RENAME_DIRECTORY(1),
    /** The names of a directory. */
    LIST(2),
    /** The attributes by path. */
    ATTRIBUTES(3),
    /** The mode, or the times. */
    SET_ATTRIBUTES(3),
    /** Connections are lost, where the server is reached by a path that can lose them. */
    CUT(1),
    /** A mount gets another transport. */
    SWAP(1),
    /** A mount puts another connection in the place of its present one. */
    RECONNECT(1),
    /** What a door was not opened for. */
    REFUSED(1);

    private final int weight;

    Kind(int weight) {
        this.weight = weight;
    }

    /** How often it comes, compared with others. */
    int weight() {
        return weight;
    }
}
