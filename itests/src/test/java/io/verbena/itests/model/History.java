package io.verbena.itests.model;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.IntPredicate;

/** What a file was before its changes, as far back as somebody may still see it so. */
final class History {
    private final ModelFile file;
    private final Deque<Past> changes = new ArrayDeque<>();
    /** Of each mount the first change that it may not have seen. */
    private final long[] since = {1, 1};

    private long last;

    History(ModelFile file) {
        this.file = file;
    }

    /**
     * A change.
     *
     * @param octets from there on, before it
     * @param size before it
     * @param grows to which size it goes by steps, as its octets arrive; or the size before it
     */
    private record Past(long number, int from, ByteBuffer octets, int size, int grows) {
        boolean had(int octet, byte value) {
            return octet >= from && octet < from + octets.limit() && octets.get(octet - from) == value;
        }
    }

    /**
     * Octets are about to be changed.
     *
     * @param newSize how long the file is then
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

    /** A mount has seen all that there is. */
    void seen(int mount) {
        since[mount] = last + 1;
    }

    /** Nobody sees any more what was before that change. */
    void forgetBefore(long oldest) {
        while (!changes.isEmpty() && changes.element().number() < oldest) {
            changes.remove();
        }
    }

    /** How many changes are remembered. */
    int length() {
        return changes.size();
    }

    /** Whether an octet has, or since then had, a value. */
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

    /** Whether the file has, or since then had, such a size. */
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
