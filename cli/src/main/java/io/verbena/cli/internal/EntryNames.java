package io.verbena.cli.internal;

import io.verbena.nfs.DirectoryEntry;
import java.io.IOException;

/** Names as servers list them: they come from a peer, and must not lead out of their directory. */
public final class EntryNames {
    private EntryNames() {}

    /** Whether a file of a directory can have the entry's name. */
    public static boolean isUsable(DirectoryEntry entry) {
        return entry.isNameUsable() && isUsable(entry.name());
    }

    /** Whether a file of a directory can have the name. */
    public static boolean isUsable(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.indexOf('/') < 0
                && name.indexOf(0) < 0;
    }

    /** Why an entry of another name is left out. */
    public static IOException failure() {
        return new IOException("the server lists a name that no file can have");
    }
}
