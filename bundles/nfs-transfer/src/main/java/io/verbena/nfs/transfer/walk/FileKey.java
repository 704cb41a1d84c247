package io.verbena.nfs.transfer.walk;

import io.verbena.nfs.FileAttributes;

/**
 * The identity of a file. Two names with equal keys are names of one file.
 *
 * @param place the host or server
 * @param major the major number of the file system; {@code major}, {@code minor} and {@code fileId} together identify
 *     the file within its place
 * @param minor the minor number of the file system
 * @param fileId the number of the file; 0 if the server does not report it
 */
public record FileKey(String place, long major, long minor, long fileId) {
    /** Returns the key of a file of a server. The key is comparable only with keys of files of the same server. */
    public static FileKey of(FileAttributes attributes) {
        return of("", attributes);
    }

    /**
     * Returns the key of a file of a server.
     *
     * @param place the server
     * @param attributes the attributes of the file
     */
    public static FileKey of(String place, FileAttributes attributes) {
        return new FileKey(place, attributes.fileSystemMajor(), attributes.fileSystemMinor(), attributes.fileId());
    }

    /** Returns the key as a mount of the place takes it. */
    public FileAttributes.FileKey onServer() {
        return new FileAttributes.FileKey(major, minor, fileId);
    }
}
