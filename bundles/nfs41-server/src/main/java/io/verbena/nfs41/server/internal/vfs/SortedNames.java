package io.verbena.nfs41.server.internal.vfs;

import io.verbena.nfs41.server.internal.vfs.DirectoryListings.Name;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Collects the names of a directory after a cookie, in the order of the cookies: all of them, or, if these take too
 * much heap, the first ones. Names may be added in any order. One thread uses it.
 */
final class SortedNames {
    private static final Comparator<Name> ORDER =
            Comparator.comparingLong(Name::cookie).thenComparing(Name::name);

    private final long after;
    private final long most;
    private final List<Name> names = new ArrayList<>();
    private long octets;
    private long last = Long.MAX_VALUE;

    /**
     * @param after names with this cookie and lower ones are left out
     * @param most the octets that names may take, approximately
     */
    SortedNames(long after, long most) {
        this.after = after;
        this.most = most;
    }

    /** Whether a name with that cookie belongs to the names that are kept so far. */
    boolean wants(long cookie) {
        return cookie > after && cookie <= last;
    }

    void add(Name name) {
        names.add(name);
        octets += name.octets();
        if (octets > most) {
            cut();
        }
    }

    /** Drops all names after the first half, except names with the last cookie of that half. */
    private void cut() {
        names.sort(ORDER);
        int size = 0;
        long kept = 0;
        while (size < names.size() && (kept <= octets / 2 || names.get(size).cookie() == last)) {
            last = names.get(size).cookie();
            kept += names.get(size).octets();
            size++;
        }
        names.subList(size, names.size()).clear();
        octets = kept;
    }

    long after() {
        return after;
    }

    /** Whether no name after the last one was left out. */
    boolean isComplete() {
        return last == Long.MAX_VALUE;
    }

    /** The heap that the names take. */
    long octets() {
        return octets;
    }

    Name[] names() {
        names.sort(ORDER);
        return names.toArray(new Name[0]);
    }
}
