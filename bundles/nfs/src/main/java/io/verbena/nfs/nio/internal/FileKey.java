package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;

/** Which file it is, whatever its name. */
record FileKey(long fileSystemMajor, long fileSystemMinor, long fileId) {
    static FileKey of(FileAttributes attributes) {
        return new FileKey(attributes.fileSystemMajor(), attributes.fileSystemMinor(), attributes.fileId());
    }
}
