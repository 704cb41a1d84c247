package io.verbena.simulation.disk;

import java.nio.file.attribute.FileTime;

/**
 * The attributes of an inode that the journal keeps.
 *
 * @param mode type and permission bits
 */
record Attributes(
        int mode,
        int links,
        int uid,
        int gid,
        FileTime accessed,
        FileTime modified,
        FileTime changed,
        FileTime created) {
    static final int TYPE_MASK = 0xf000;
    static final int REGULAR = 0x8000;
    static final int DIRECTORY = 0x4000;
    static final int SYMBOLIC_LINK = 0xa000;
    static final int MODE_BITS = 07777;
    static final int SET_UID = 04000;
    static final int SET_GID = 02000;
    static final int GROUP_EXECUTE = 0010;

    boolean isDirectory() {
        return (mode & TYPE_MASK) == DIRECTORY;
    }

    boolean isRegular() {
        return (mode & TYPE_MASK) == REGULAR;
    }

    boolean isSymbolicLink() {
        return (mode & TYPE_MASK) == SYMBOLIC_LINK;
    }

    /** With other permission bits. */
    Attributes withMode(int bits, FileTime now) {
        int other = (mode & TYPE_MASK) | (bits & MODE_BITS);
        return new Attributes(other, links, uid, gid, accessed, modified, now, created);
    }

    /** With another owner. As on Linux, the set-id bits of all but directories go, whoever the process is. */
    Attributes withOwner(int newUid, int newGid, FileTime now) {
        int dropped = 0;
        if (!isDirectory()) {
            dropped = (mode & GROUP_EXECUTE) == 0 ? SET_UID : SET_UID | SET_GID;
        }
        return new Attributes(mode & ~dropped, links, newUid, newGid, accessed, modified, now, created);
    }

    Attributes withTimes(FileTime newAccessed, FileTime newModified, FileTime now) {
        return new Attributes(mode, links, uid, gid, newAccessed, newModified, now, created);
    }

    /** With another count of links, which changes the attributes alone. */
    Attributes withLinks(int count, FileTime now) {
        return new Attributes(mode, count, uid, gid, accessed, modified, now, created);
    }

    /** After a change of the content. */
    Attributes modified(FileTime now) {
        return new Attributes(mode, links, uid, gid, accessed, now, now, created);
    }

    /** After a change of the names of a directory. */
    Attributes modified(int count, FileTime now) {
        return new Attributes(mode, count, uid, gid, accessed, now, now, created);
    }
}
