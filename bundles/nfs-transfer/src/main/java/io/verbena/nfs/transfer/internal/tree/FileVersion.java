package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.time.Instant;

/**
 * The identity and the state of a file of a server at the time when its attributes were read.
 *
 * @param mount the mount that returned the attributes
 * @param fileSystemMajor the major number of the file system; {@code fileSystemMajor}, {@code fileSystemMinor} and
 *     {@code fileId} together identify the file within its server
 * @param fileSystemMinor the minor number of the file system
 * @param fileId the number of the file
 * @param change the change attribute of the server, which some servers increment for accesses too
 * @param size the size in octets
 * @param modified the time of modification of the content
 * @param changed the time of the last change of the attributes, accesses excluded
 */
public record FileVersion(
        Mount mount,
        long fileSystemMajor,
        long fileSystemMinor,
        long fileId,
        long change,
        long size,
        Instant modified,
        Instant changed) {
    public static FileVersion of(Mount mount, FileAttributes attributes) {
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

    public boolean isSameFile(FileVersion other) {
        return fileSystemMajor == other.fileSystemMajor
                && fileSystemMinor == other.fileSystemMinor
                && fileId == other.fileId;
    }

    public boolean hasSizeAndTimeOf(FileVersion other) {
        return size == other.size && modified.equals(other.modified);
    }

    /**
     * Returns whether the other version is of the same file with the same content. If the other version comes from
     * another mount, which may be of another server, nothing but accesses may have happened to the file.
     */
    public boolean isSameContent(FileVersion other) {
        return isSameFile(other)
                && hasSizeAndTimeOf(other)
                && (mount == other.mount || change == other.change || changed.equals(other.changed));
    }
}
