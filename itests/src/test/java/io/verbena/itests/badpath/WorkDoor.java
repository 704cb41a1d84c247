package io.verbena.itests.badpath;

import java.io.IOException;

/** A way to work on the files of a mount. */
interface WorkDoor {
    /** Creates a file, which must not exist. */
    void create(String path, byte[] content) throws IOException;

    /**
     * Appends to a file.
     *
     * @param size the present size of the file
     */
    void append(String path, byte[] more, int size) throws IOException;

    /**
     * All octets of a file.
     *
     * @param size the expected size
     */
    byte[] read(String path, int size) throws IOException;

    void remove(String path) throws IOException;

    /** Renames; takes the place of a file that has the new name. */
    void rename(String from, String to) throws IOException;

    void link(String path, String existing) throws IOException;

    void createDirectory(String path) throws IOException;

    void createSymbolicLink(String path, String target) throws IOException;

    String readLink(String path) throws IOException;
}
