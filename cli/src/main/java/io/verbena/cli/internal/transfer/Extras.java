package io.verbena.cli.internal.transfer;

import java.time.Instant;

/**
 * What of a file is kept only where that is asked for.
 *
 * @param mode the low twelve bits of the POSIX mode
 * @param owner a number or {@code user@domain}
 * @param group likewise
 * @param accessed of the content
 * @param modified of the content
 */
record Extras(int mode, String owner, String group, Instant accessed, Instant modified) {
    private static final int SET_ID = 0_6000;

    Extras withModified(Instant newModified) {
        return new Extras(mode, owner, group, accessed, newModified);
    }

    /** For a file that could not be given its owner: it must not lend another's rights. */
    int modeForOthers() {
        return mode & ~SET_ID;
    }
}
