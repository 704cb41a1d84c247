package io.verbena.itests.model;

import java.io.IOException;
import java.util.Optional;

/** Two mounts of one export, and what can be done to them from outside. */
public interface World extends AutoCloseable {
    Side side(int number);

    /** Has connections of both mounts be lost in what goes over them next; false where that cannot be had. */
    boolean cut() throws IOException;

    /** Puts another transport under a mount; false where that cannot be had. */
    boolean swap(int number) throws IOException;

    /** Puts another connection in the place of a mount's present one; false where that cannot be had. */
    boolean reconnect(int number) throws IOException;

    /** What a file holds, seen beside both mounts; empty where that cannot be had. */
    Optional<byte[]> content(String name) throws IOException;

    /** Whether a removed file that is open by another client goes on. */
    boolean preservesUnlinked();

    @Override
    void close() throws IOException;
}
