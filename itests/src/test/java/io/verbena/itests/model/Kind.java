package io.verbena.itests.model;

/**
 * The kinds of steps. {@code -Dverbena.model.kinds=READ,WRITE} restricts a run to these kinds and the steps that they
 * need.
 */
public enum Kind {
    /** Opens a door; other kinds open doors as they need them. */
    OPEN(6),
    CLOSE(4),
    /** Reads of channels, at their own positions. */
    READ(10),
    WRITE(10),
    POSITION(5),
    /** Reads at an explicit position. */
    READ_AT(8),
    WRITE_AT(10),
    READ_ASYNC(8),
    WRITE_ASYNC(12),
    /** Waits for one of the asynchronous calls, or for all. */
    AWAIT(6),
    /** Writes through doors that were opened for APPEND. */
    APPEND(8),
    TRUNCATE(3),
    SIZE(3),
    SYNC(3),
    LOCK(4),
    /** A lock that overlaps one of the same mount. */
    LOCK_OVERLAP(2),
    /** A wait for a lock that another mount holds and then releases. */
    LOCK_WAIT(4),
    UNLOCK(4),
    /** A test for a conflicting lock of another owner. */
    TEST_LOCK(2),
    /** One mount syncs and the other one opens or locks the file, and so sees all changes. */
    SHARE(4),
    /** Reads a whole file with {@link java.nio.file.Files}. */
    WHOLE_READ(3),
    WHOLE_WRITE(2),
    CREATE_NEW(2),
    RENAME(2),
    LINK(1),
    REMOVE(1),
    /** Removes or replaces a file that is open. */
    REMOVE_OPEN(1),
    /** Renames a directory with its files. */
    RENAME_DIRECTORY(1),
    /** Lists the names of a directory. */
    LIST(2),
    /** Reads attributes by path. */
    ATTRIBUTES(3),
    /** Sets the mode or the times. */
    SET_ATTRIBUTES(3),
    /** Breaks connections, where the path to the server supports that. */
    CUT(1),
    /** Replaces the transport of a mount. */
    SWAP(1),
    /** Replaces the connection of a mount. */
    RECONNECT(1),
    /** An operation that a door was not opened for. */
    REFUSED(1);

    private final int weight;

    Kind(int weight) {
        this.weight = weight;
    }

    /** The relative frequency of the kind. */
    int weight() {
        return weight;
    }
}
