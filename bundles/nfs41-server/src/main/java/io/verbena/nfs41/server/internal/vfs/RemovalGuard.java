package io.verbena.nfs41.server.internal.vfs;

import io.verbena.nfs41.server.internal.util.NfsError;
import java.io.IOException;

/** Called when a file is about to lose a name: executes the change, or refuses it by an {@link NfsError}. */
@FunctionalInterface
public interface RemovalGuard {
    /** A change without a result: the removal of the file's name. */
    @FunctionalInterface
    interface Change {
        void make() throws IOException;
    }

    void guard(Inode inode, Change change) throws IOException;
}
