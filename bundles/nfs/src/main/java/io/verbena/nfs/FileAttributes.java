package io.verbena.nfs;

import java.time.Instant;

/**
 * A file's attributes at one moment (RFC 8881 section 5).
 *
 * @param type the kind of object
 * @param size in octets
 * @param spaceUsed the octets that it occupies on the server
 * @param mode the low twelve bits of the POSIX mode
 * @param linkCount hard links
 * @param owner the owner as the server names it: a number or {@code user@domain}
 * @param group the group, likewise
 * @param modified of the content
 * @param accessed of the content
 * @param changed of the attributes
 * @param fileSystemMajor the file system's id, first half
 * @param fileSystemMinor the file system's id, second half
 * @param fileId unique within the file system
 * @param change a number that changes whenever the content or the attributes do
 */
public record FileAttributes(
        FileType type,
        long size,
        long spaceUsed,
        int mode,
        int linkCount,
        String owner,
        String group,
        Instant modified,
        Instant accessed,
        Instant changed,
        long fileSystemMajor,
        long fileSystemMinor,
        long fileId,
        long change) {
    public boolean isRegularFile() {
        return type == FileType.REGULAR;
    }

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    public boolean isSymbolicLink() {
        return type == FileType.SYMBOLIC_LINK;
    }
}
