package io.verbena.cli.internal.transfer;

import io.verbena.nfs.FileType;
import java.time.Instant;

/**
 * What a copy needs to know of a file, local or remote.
 *
 * @param name without any path
 * @param size in octets
 * @param mode the low nine bits of the POSIX mode
 * @param modified of the content
 */
record Node(String name, FileType type, long size, int mode, Instant modified) {
    boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    boolean isRegularFile() {
        return type == FileType.REGULAR;
    }

    boolean isSymbolicLink() {
        return type == FileType.SYMBOLIC_LINK;
    }
}
