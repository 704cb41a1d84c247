package io.verbena.itests.model;

import java.io.IOException;
import java.util.Optional;

/** Two mounts of one export, and the disturbances that a test can cause. */
public interface MountPair extends AutoCloseable {
    Side side(int number);

    /** Breaks the connections of both mounts during their next traffic; false where that is not supported. */
    boolean cut() throws IOException;

    /** Replaces the transport of a mount; false where that is not supported. */
    boolean swap(int number) throws IOException;

    /** Replaces the connection of a mount; false where that is not supported. */
    boolean reconnect(int number) throws IOException;

    /** The content of a file, read without the mounts; empty where that is not supported. */
    Optional<byte[]> content(String name) throws IOException;

    /** Whether a removed file that another client has open can still be used. */
    boolean preservesUnlinked();

    @Override
    void close() throws IOException;
}
