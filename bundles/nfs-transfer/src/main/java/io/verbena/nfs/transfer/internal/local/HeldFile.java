package io.verbena.nfs.transfer.internal.local;

import io.verbena.dirfd.FileReference;
import io.verbena.nfs.FileType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.util.Set;

/**
 * A local file that is held by a descriptor, whatever becomes of its name, so that it can be opened for reading.
 *
 * @param file the file
 * @param closing what is to be done when the source that uses it is closed
 */
record HeldFile(FileReference file, Closing closing) implements LocalSource.Opening {
    /** Gives back what holds the file. */
    @FunctionalInterface
    interface Closing {
        void run() throws IOException;
    }

    /**
     * Holds a regular file.
     *
     * @param entry the name of the file in its open directory; closed with the result, or at a failure
     */
    static HeldFile opening(LocalDirectories.Entry entry) throws IOException {
        FileReference file;
        try {
            file = entry.directory().refer(entry.name());
        } catch (Throwable e) {
            entry.close();
            throw e;
        }
        HeldFile opening = new HeldFile(file, () -> {
            try (entry) {
                file.close();
            }
        });
        try {
            LocalEntries.requireType(file, FileType.REGULAR); // opening a pipe would block
        } catch (Throwable e) {
            opening.close();
            throw e;
        }
        return opening;
    }

    @Override
    public FileChannel open(Set<? extends OpenOption> options) throws IOException {
        return file.open(options);
    }

    @Override
    public void close() throws IOException {
        closing.run();
    }
}
