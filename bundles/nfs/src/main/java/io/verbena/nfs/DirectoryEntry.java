package io.verbena.nfs;

import java.time.Instant;
import java.util.Optional;

/**
 * An entry of a directory. Entries with a {@link #failure} are listed too, so that no caller takes an incomplete
 * listing for a complete one. Such an entry has a name that no object can have, or attributes that the server cannot
 * give.
 *
 * @param name the name without a path; if {@link #isNameUsable} is false, a form of the name for people, by which no
 *     object is found
 * @param attributes the attributes of the object itself, also of a symbolic link; with a failure only the attributes
 *     that the server has given; {@link #NO_ATTRIBUTES} where it has given none, or was asked for none
 * @param failure what is wrong with the entry: the status and a line for people; empty for most entries
 */
public record DirectoryEntry(String name, FileAttributes attributes, Optional<NfsException> failure) {
    /** The status of an entry whose name no object can have. */
    public static final String BAD_NAME = "NFS4ERR_BADNAME";

    /** The attributes of an entry of which only the name is known: the type OTHER, one link, and else zeros. */
    public static final FileAttributes NO_ATTRIBUTES = new FileAttributes(
            FileType.OTHER, 0, 0, 0, 1, "", "", Instant.EPOCH, Instant.EPOCH, Instant.EPOCH, 0, 0, 0, 0);

    /** An entry without a failure. */
    public DirectoryEntry(String name, FileAttributes attributes) {
        this(name, attributes, Optional.empty());
    }

    /**
     * Whether the object can be reached by the name. An empty name, {@code .}, {@code ..} and names with a slash or NUL
     * cannot be used.
     */
    public boolean isNameUsable() {
        return failure.isEmpty() || !failure.get().status().equals(BAD_NAME);
    }
}
