package io.verbena.dirfd;

import java.nio.file.attribute.FileTime;

/**
 * The attributes of an object that statx(2) returns. For a symbolic link they are those of the link, not of its target.
 *
 * @param device the number of the file system, as {@code st_dev} of stat(2)
 * @param ino the inode number, which is unique in the file system while the object is there
 * @param mode type and permission bits
 * @param uid the owner, an unsigned number of 32 bits
 * @param gid the group, an unsigned number of 32 bits
 * @param rdev the number of a device file, as {@code st_rdev} of stat(2)
 * @param size in octets
 * @param allocated the octets that the object occupies in the file system
 * @param accessed the time of the last access; all times have nanoseconds
 * @param modified the time of the last change of the content
 * @param changed the time of the last change of content or attributes
 * @param created the time of creation, or null where the file system does not keep one
 */
public record FileStatus(
        long device,
        long ino,
        int mode,
        int linkCount,
        int uid,
        int gid,
        long rdev,
        long size,
        long allocated,
        FileTime accessed,
        FileTime modified,
        FileTime changed,
        FileTime created) {
    private static final int TYPE_MASK = 0xf000;
    private static final int REGULAR = 0x8000;
    private static final int DIRECTORY = 0x4000;
    private static final int SYMBOLIC_LINK = 0xa000;

    /** Whether both are attributes of one object, judged by device and inode number. */
    public boolean isSameObject(FileStatus other) {
        return ino == other.ino && device == other.device;
    }

    public boolean isRegular() {
        return (mode & TYPE_MASK) == REGULAR;
    }

    public boolean isDirectory() {
        return (mode & TYPE_MASK) == DIRECTORY;
    }

    public boolean isSymbolicLink() {
        return (mode & TYPE_MASK) == SYMBOLIC_LINK;
    }
}
