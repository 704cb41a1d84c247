package io.verbena.itests.model;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.IntPredicate;

/** Former contents of a file, as far back as a mount may still see them. */
final class History {
    private final ModelFile file;
    private final Deque<Past> changes = new ArrayDeque<>();
    /** For each mount the first change that it may not have seen. */
    private final long[] since = {1, 1};

    private long last;

    History(ModelFile file) {
        this.file = file;
    }

    /**
     * A change.
     *
     * @param octets the octets from there on before the change
     * @param size the size before the change
     * @param grows the size that the file reaches in steps as octets arrive, or the size before the change
     */
    private record Past(long number, int from, ByteBuffer octets, int size, int grows) {
        boolean had(int octet, byte value) {
            return octet >= from && octet < from + octets.limit() && octets.get(octet - from) == value;
        }
    }

    /**
     * Notes that octets are about to change.
     *
     * @param newSize the size of the file after the change
     */
    void changing(int from, int to, int newSize) {
        int end = Math.min(to, ModelFile.MOST_OCTETS);
        int size = file.size();
        ByteBuffer octets = ByteBuffer.wrap(file.content(from, Math.max(0, end - from)));
        changes.add(new Past(++last, from, octets, size, Math.max(size, newSize)));
    }

    /** The first change that a mount may not have seen. */
    long since(int mount) {
        return since[mount];
    }

    /** Notes that a mount has seen the current content. */
    void seen(int mount) {
        since[mount] = last + 1;
    }

    /** Forgets contents before a change, which no mount can see any more. */
    void forgetBefore(long oldest) {
        while (!changes.isEmpty() && changes.element().number() < oldest) {
            changes.remove();
        }
    }

    /** The number of remembered changes. */
    int length() {
        return changes.size();
    }

    /** Whether an octet has a value, or has had it since a change. */
    boolean had(long from, int octet, byte value) {
        if (file.content(octet, 1)[0] == value) {
            return true;
        }
        Iterator<Past> newest = changes.descendingIterator();
        while (newest.hasNext()) {
            Past past = newest.next();
            if (past.number() < from) {
                return false;
            }
            if (past.had(octet, value)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the file has such a size, or has had it since a change. */
    boolean hadSize(long from, IntPredicate which) {
        if (which.test(file.size())) {
            return true;
        }
        for (Past past : changes) {
            for (int size = past.size(); past.number() >= from && size <= past.grows(); size++) {
                if (which.test(size)) {
                    return true;
                }
            }
        }
        return false;
    }
}
