package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.FileReference;
import java.io.Closeable;
import java.io.IOException;

/**
 * Files that are open: those without a name, which live on because clients have them open
 * (OPEN4_RESULT_PRESERVE_UNLINKED), and those that have just been made. Thread safe.
 */
interface HeldFiles {
    /** There are none. */
    HeldFiles NONE = new HeldFiles() {
        @Override
        public Inode known(long number) {
            return null;
        }

        @Override
        public Held held(Inode inode) {
            return null;
        }

        @Override
        public void keep(OpenFile made) throws IOException {
            made.close();
        }
    };

    /**
     * The use of a file without a name, until it is closed.
     *
     * @param reference a descriptor of the file, which stays open meanwhile
     * @param attributes the file's attributes when its use began
     * @param end ends the use
     */
    record Held(FileReference reference, UnixAttributes attributes, Runnable end) implements Closeable {
        @Override
        public void close() {
            end.run();
        }
    }

    /** The file of that number, or null where it has a name or is not held. */
    Inode known(long number);

    /**
     * Begins to use a file by its descriptor.
     *
     * @return its use, which the caller closes; null where it has a name, is not held or has no descriptor
     */
    Held held(Inode inode) throws IOException;

    /** Takes a file over that was opened while it was made: its mode may allow nobody to open it again. */
    void keep(OpenFile made) throws IOException;
}
