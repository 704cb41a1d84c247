package io.verbena.nfs.nio.internal;

import java.util.HashMap;
import java.util.Map;

/** The files that a file system has open, by what its channels have in common. Thread safe. */
final class OpenFiles {
    private final Map<FileKey, SharedFile> files = new HashMap<>();

    synchronized SharedFile acquire(FileKey key, Remote remote) {
        SharedFile file = files.computeIfAbsent(key, opened -> new SharedFile(opened, remote));
        file.users++;
        return file;
    }

    synchronized void release(SharedFile file) {
        file.users--;
        if (file.users == 0) {
            files.remove(file.key());
        }
    }
}
