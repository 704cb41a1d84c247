package io.verbena.nfs;

import java.util.Optional;

/**
 * An entry of a directory. An entry with a {@link #failure} is listed too, so that nobody takes the directory for whole:
 * either the server cannot tell the object's attributes, or no object can have the name that the server lists.
 *
 * @param name without any path. Where {@link #isNameUsable} is false it is a form to show, which leads nowhere
 * @param attributes those of the object itself (a symbolic link's own); with a failure no more than the server told,
 *     which may be nothing: the type OTHER and zeros
 * @param failure what is wrong with the entry, with the status and a line for people; empty of most entries
 */
public record DirectoryEntry(String name, FileAttributes attributes, Optional<NfsException> failure) {
    /** The status of an entry whose name no object can have. */
    public static final String BAD_NAME = "NFS4ERR_BADNAME";

    /** An entry that nothing is wrong with. */
    public DirectoryEntry(String name, FileAttributes attributes) {
        this(name, attributes, Optional.empty());
    }

    /** Whether the object can be reached by the name: false where the name is empty, ".", "..", or has a slash or NUL. */
    public boolean isNameUsable() {
        return failure.isEmpty() || !failure.get().status().equals(BAD_NAME);
    }
}
