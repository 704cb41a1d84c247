package io.verbena.nfs.nio.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.nfs.nio.internal.path.FileKey;
import java.util.HashMap;
import java.util.Map;

/** The files that a file system has open: one {@link SharedFile} for all channels on a file. Thread safe. */
public final class OpenFiles {
    @GuardedBy("this")
    private final Map<FileKey, SharedFile> files = new HashMap<>();

    synchronized SharedFile acquire(FileKey key, ReplaceableMount mount) {
        SharedFile file = files.computeIfAbsent(key, opened -> new SharedFile(opened, mount));
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
