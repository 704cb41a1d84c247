package io.verbena.nfs.transfer.internal.local;

import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.PreservedAttributes;
import io.verbena.nfs.transfer.walk.FileKey;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Map;

/** Describes files of this host by their status. Stateless. */
final class LocalEntries {
    /** The bits of a mode that hold the type of the file, {@code S_IFMT}. */
    private static final int TYPE_BITS = 0_170000;

    private static final Map<Integer, FileType> TYPES = Map.of(
            0_100000, FileType.REGULAR,
            0_040000, FileType.DIRECTORY,
            0_120000, FileType.SYMBOLIC_LINK,
            0_060000, FileType.BLOCK_DEVICE,
            0_020000, FileType.CHARACTER_DEVICE,
            0_140000, FileType.SOCKET,
            0_010000, FileType.FIFO);

    private LocalEntries() {}

    static FileType type(FileStatus status) {
        return TYPES.getOrDefault(status.mode() & TYPE_BITS, FileType.OTHER);
    }

    static FileEntry of(String name, FileStatus status) {
        boolean hasKey = status.isDirectory() || (status.isRegular() && status.linkCount() > 1);
        return new FileEntry(
                name,
                type(status),
                status.size(),
                status.mode() & 0_777,
                status.modified().toInstant(),
                hasKey ? new FileKey("", 0, status.device(), status.ino()) : null);
    }

    static PreservedAttributes extras(FileStatus status) {
        return new PreservedAttributes(
                status.mode() & 0_7777,
                Integer.toUnsignedString(status.uid()),
                Integer.toUnsignedString(status.gid()),
                status.accessed().toInstant(),
                status.modified().toInstant());
    }

    /** Throws if an object that was looked at before is of another type now. */
    static void requireType(FileReference object, FileType type) throws IOException {
        if (type(object.status()) != type) {
            throw new FileSystemException(null, null, "another object was put in its place meanwhile");
        }
    }
}
