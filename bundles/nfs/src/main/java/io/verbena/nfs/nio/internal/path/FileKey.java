package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.FileAttributes;

/** The identity of a file, independent of its names: fsid and fileid (RFC 8881 sections 5.8.1.9 and 5.8.2.10). */
public record FileKey(long fileSystemMajor, long fileSystemMinor, long fileId) {
    public static FileKey of(FileAttributes attributes) {
        return new FileKey(attributes.fileSystemMajor(), attributes.fileSystemMinor(), attributes.fileId());
    }
}
