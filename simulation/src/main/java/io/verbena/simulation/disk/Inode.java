package io.verbena.simulation.disk;

import io.verbena.dirfd.FileStatus;
import java.util.TreeMap;

/**
 * An object of the file system: what programs see of it, and what is on stable storage. A structure, of which {@link
 * Transaction} changes names and attributes, and {@link Journal} their stable counterparts.
 */
final class Inode {
    final long number;

    /** The target of a symbolic link, else null. */
    final byte[] text;

    /** The content of a regular file, else null. */
    final FileContent content;

    /** The names in a directory, else null. */
    final TreeMap<Name, Inode> entries;

    /** The names in a directory on stable storage, else null. */
    final TreeMap<Name, Inode> stableEntries;

    final ErrorSequence errors = new ErrorSequence();

    Attributes attributes;

    /** Null while the object is not on stable storage. */
    Attributes stableAttributes;

    /** The directory that a directory is in; the root is in itself. */
    Inode parent;

    /** The journal's mark behind the last change of this object. */
    long lastChange;

    /** The journal's mark behind the last change without which the content could not be read. */
    long lastDataChange;

    /** How many references and channels are open, for {@link OpenObjects}. */
    int opens;

    /** The run of the process that {@link #opens} belongs to. */
    int run;

    /** The last restart that has found this object. */
    int restart;

    Inode(long number, Attributes attributes, byte[] text) {
        this.number = number;
        this.attributes = attributes;
        this.text = text;
        content = attributes.isRegular() ? new FileContent() : null;
        entries = attributes.isDirectory() ? new TreeMap<>() : null;
        stableEntries = attributes.isDirectory() ? new TreeMap<>() : null;
    }

    boolean isDirectory() {
        return entries != null;
    }

    /** How many pages programs have stored in it. */
    long pages() {
        return isDirectory() ? 1 : content == null ? 0 : content.allocated();
    }

    /** Programs see what is on stable storage, as after a crash. */
    void restore() {
        attributes = stableAttributes;
        errors.forget();
        if (content != null) {
            content.restore();
        } else if (isDirectory()) {
            entries.clear();
            entries.putAll(stableEntries);
            for (Inode child : entries.values()) {
                child.parent = this;
            }
        }
    }

    FileStatus status(long device) {
        long size = content == null ? plainSize() : content.size();
        return status(device, attributes, size, pages());
    }

    FileStatus stableStatus(long device) {
        long size = content == null ? plainSize() : content.stableSize();
        long pages = content == null ? pages() : content.stableAllocated();
        return status(device, stableAttributes, size, pages);
    }

    private long plainSize() {
        return isDirectory() ? FileContent.PAGE : text.length;
    }

    private FileStatus status(long device, Attributes of, long size, long pages) {
        return new FileStatus(
                device,
                number,
                of.mode(),
                of.links(),
                of.uid(),
                of.gid(),
                0,
                size,
                pages * FileContent.PAGE,
                of.accessed(),
                of.modified(),
                of.changed(),
                of.created());
    }
}
