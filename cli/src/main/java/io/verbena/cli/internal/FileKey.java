package io.verbena.cli.internal;

import io.verbena.nfs.FileAttributes;

/**
 * Which file a name is of: two names of one key are of one file.
 *
 * @param place the host or server
 * @param major with the two that follow, what tells it from all other files there
 * @param fileId 0 where a server does not tell it
 */
public record FileKey(String place, long major, long minor, long fileId) {
    /** The key of a file of a server, among files of that server alone. */
    public static FileKey of(FileAttributes attributes) {
        return of("", attributes);
    }

    /** The key of a file of a server. */
    public static FileKey of(String place, FileAttributes attributes) {
        return new FileKey(place, attributes.fileSystemMajor(), attributes.fileSystemMinor(), attributes.fileId());
    }
}
