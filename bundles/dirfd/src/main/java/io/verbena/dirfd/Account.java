package io.verbena.dirfd;

import java.util.List;

/**
 * A user of this host.
 *
 * @param uid an unsigned number of 32 bits
 * @param gid the user's first group, likewise
 * @param groups further groups, {@link #MAX_GROUPS} at most
 */
public record Account(int uid, int gid, List<Integer> groups) {
    /** The most further groups; a user of more loses the others. */
    public static final int MAX_GROUPS = 4096;

    public Account {
        groups = List.copyOf(groups);
    }
}
