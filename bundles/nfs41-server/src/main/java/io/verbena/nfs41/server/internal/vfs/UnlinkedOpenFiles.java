package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.FileReference;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import java.io.Closeable;
import java.io.IOException;

/**
 * Access to open files that have no name and exist while clients have them open (OPEN4_RESULT_PRESERVE_UNLINKED), to
 * files that were just created, and to those that are kept open for later. Thread safe.
 */
public interface UnlinkedOpenFiles {
    /** An implementation without any files. */
    UnlinkedOpenFiles NONE = new UnlinkedOpenFiles() {
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

        @Override
        public boolean closeUnused() {
            return false;
        }
    };

    /**
     * A use of a file without a name, until it is closed.
     *
     * @param reference a descriptor of the file, which stays open meanwhile
     * @param attributes the attributes of the file when the use began
     * @param end ends the use
     */
    record Held(FileReference reference, UnixAttributes attributes, Runnable end) implements Closeable {
        @Override
        public void close() {
            end.run();
        }
    }

    /** The file of a number; null if it has a name or is not held. */
    Inode known(long number);

    /**
     * Begins a use of a file by its descriptor.
     *
     * @return the use, which the caller closes; null if the file has a name, is not held, or has no descriptor
     */
    Held held(Inode inode) throws IOException;

    /** Keeps a file that was opened when it was created: its mode may not allow it to be opened again. */
    void keep(OpenFile made) throws IOException;

    /**
     * Closes files that nobody uses: descriptors are lacking. Does not wait for the disk.
     *
     * @return whether there were any
     */
    boolean closeUnused();
}
