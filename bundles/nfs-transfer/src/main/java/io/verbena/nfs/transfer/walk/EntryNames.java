package io.verbena.nfs.transfer.walk;

import io.verbena.nfs.DirectoryEntry;
import java.io.IOException;

/** Checks names that servers list. The names come from a peer, and must not lead out of their directory. */
public final class EntryNames {
    private EntryNames() {}

    /** Returns whether the name of an entry can be the name of a file in a directory. */
    public static boolean isUsable(DirectoryEntry entry) {
        return entry.isNameUsable() && isUsable(entry.name());
    }

    /** Returns whether a name can be the name of a file in a directory. */
    public static boolean isUsable(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.indexOf('/') < 0
                && name.indexOf(0) < 0;
    }

    /** Returns the failure for an entry that is left out because its name is unusable. */
    public static IOException failure() {
        return new IOException("the server lists a name that no file can have");
    }
}
