package io.verbena.nfs;

import java.time.Instant;

/**
 * The attributes of a file at one time (RFC 8881 section 5).
 *
 * @param type the kind of object
 * @param size in octets
 * @param spaceUsed the octets that the file occupies on the server
 * @param mode the low twelve bits of the POSIX mode
 * @param linkCount the number of hard links
 * @param owner the owner as the server gives it: a number or {@code user@domain}
 * @param group the group, likewise
 * @param modified when the content was changed last
 * @param accessed when the content was read last
 * @param changed when the attributes were changed last
 * @param fileSystemMajor the first half of the file system's id
 * @param fileSystemMinor the second half of the file system's id
 * @param fileId unique within the file system
 * @param change a number that changes with each change of the content or the attributes
 * @param deviceMajor of a device file, the first of its numbers, unsigned; 0 for other objects
 * @param deviceMinor the second one, likewise
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
        long change,
        int deviceMajor,
        int deviceMinor) {
    /** The attributes of an object that is no device file. */
    public FileAttributes(
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
        this(
                type,
                size,
                spaceUsed,
                mode,
                linkCount,
                owner,
                group,
                modified,
                accessed,
                changed,
                fileSystemMajor,
                fileSystemMinor,
                fileId,
                change,
                0,
                0);
    }

    public boolean isRegularFile() {
        return type == FileType.REGULAR;
    }

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    public boolean isSymbolicLink() {
        return type == FileType.SYMBOLIC_LINK;
    }

    /**
     * The identity of an object, independent of its names: fsid and fileid (RFC 8881 sections 5.8.1.9 and 5.8.2.10).
     * Keys of one server are comparable.
     *
     * @param fileSystemMajor the first half of the file system's id
     * @param fileSystemMinor the second half of the file system's id
     * @param fileId unique within the file system; 0 if the server does not tell it
     */
    public record FileKey(long fileSystemMajor, long fileSystemMinor, long fileId) {
        public static FileKey of(FileAttributes attributes) {
            return new FileKey(attributes.fileSystemMajor, attributes.fileSystemMinor, attributes.fileId);
        }
    }
}
