package io.verbena.nfs.nio.internal;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The files that a file system has open, so that its channels see what others of them write. Thread safe. */
final class OpenFiles {
    private final Map<FileKey, SharedFile> files = new HashMap<>();

    synchronized SharedFile acquire(FileKey key) {
        SharedFile file = files.computeIfAbsent(key, SharedFile::new);
        file.users++;
        return file;
    }

    synchronized void release(SharedFile file) {
        file.users--;
        if (file.users == 0) {
            files.remove(file.key());
        }
    }

    synchronized boolean isEmpty() {
        return files.isEmpty();
    }

    /** Brings to the server what channels have not sent yet; false where there was nothing. */
    boolean flush(FileKey key) throws IOException {
        SharedFile file;
        synchronized (this) {
            file = files.get(key);
        }
        return file != null && file.flush();
    }
}
