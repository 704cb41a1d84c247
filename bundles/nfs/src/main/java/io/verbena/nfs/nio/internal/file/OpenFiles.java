package io.verbena.nfs.nio.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.runtime.Runtime;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The files that a file system has open: one {@link SharedFile} for all channels on a file. Thread safe. */
public final class OpenFiles {
    private final Runtime runtime;

    @GuardedBy("this")
    private final Map<FileKey, SharedFile> files = new HashMap<>();

    /** The number of the last write of which a copy was kept, of all files. */
    private final AtomicLong lastWrite = new AtomicLong();

    public OpenFiles(Runtime runtime) {
        this.runtime = runtime;
    }

    long lastWrite() {
        return lastWrite.get();
    }

    synchronized SharedFile acquire(FileKey key, ReplaceableMount mount) {
        SharedFile file = files.computeIfAbsent(key, opened -> new SharedFile(runtime, opened, mount, lastWrite));
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
