package io.verbena.nfs.transfer;

/**
 * A single action that a copy would take.
 *
 * @param kind the kind of the action
 * @param path the file to copy, to remove or to keep, the directory to create, or the name that becomes a hard link
 * @param target the name of the copy, the name under which a file is kept, or the file that the hard link refers to;
 *     empty for the other kinds
 */
public record CopyStep(Kind kind, String path, String target) {
    /** The kind of a step. */
    public enum Kind {
        /** Creates a directory. */
        MAKE_DIRECTORY,
        /** Copies a file to a place where there is nothing. */
        COPY,
        /** Replaces an object by a copy of a file. */
        REPLACE,
        /** Makes a name a hard link. */
        LINK,
        /** Removes a file or directory. */
        REMOVE,
        /** Keeps a file under another name ({@link CopyOptions#withBackup}), before it is replaced or removed. */
        KEEP
    }

    /** Returns a step without a target. */
    public static CopyStep of(Kind kind, String path) {
        return new CopyStep(kind, path, "");
    }
}
