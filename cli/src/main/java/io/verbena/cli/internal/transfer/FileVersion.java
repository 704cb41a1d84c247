package io.verbena.cli.internal.transfer;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.time.Instant;

/**
 * Which file of a server it was, and in which state, when it was looked at.
 *
 * @param mount that it was seen through
 * @param fileSystemMajor with the two that follow, what tells it from all other files of the server
 * @param change the server's count of its changes, which on some servers counts accesses too
 * @param changed when its attributes were, accesses left out
 */
record FileVersion(
        Mount mount,
        long fileSystemMajor,
        long fileSystemMinor,
        long fileId,
        long change,
        long size,
        Instant modified,
        Instant changed) {
    static FileVersion of(Mount mount, FileAttributes attributes) {
        return new FileVersion(
                mount,
                attributes.fileSystemMajor(),
                attributes.fileSystemMinor(),
                attributes.fileId(),
                attributes.change(),
                attributes.size(),
                attributes.modified(),
                attributes.changed());
    }

    boolean isSameFile(FileVersion other) {
        return fileSystemMajor == other.fileSystemMajor
                && fileSystemMinor == other.fileSystemMinor
                && fileId == other.fileId;
    }

    boolean hasSizeAndTimeOf(FileVersion other) {
        return size == other.size && modified.equals(other.modified);
    }

    /**
     * Whether it is the same file with the same content. Through another mount, which may be of another server, it takes
     * more: nothing at all may have happened to the file but accesses.
     */
    boolean isSameContent(FileVersion other) {
        return isSameFile(other)
                && hasSizeAndTimeOf(other)
                && (mount == other.mount || change == other.change || changed.equals(other.changed));
    }
}
