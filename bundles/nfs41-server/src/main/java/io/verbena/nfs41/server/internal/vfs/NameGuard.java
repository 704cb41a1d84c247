package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;

/** Asked before a file loses a name: it makes the change, or refuses it by an {@link NfsError}. */
@FunctionalInterface
public interface NameGuard {
    /** A change without a result: here, what the file's name is lost by. */
    @FunctionalInterface
    interface Change {
        void make() throws IOException;
    }

    void guard(Inode inode, Change change) throws IOException;
}
