package io.verbena.itests.model;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * The expected result of a READ. Certain octets and a certain length are those of the model at the time of the call.
 * Uncertain ones have their current value, or any value since the mount knew them or since the call.
 */
final class Expected {
    /** The lengths of all requests of a READ except the last are multiples of this. */
    private static final int REQUEST = 4096;

    private final ModelFile file;
    private final int position;
    private final byte[] octets;
    private final BitSet uncertain = new BitSet();
    private final int size;
    private final long since;
    private boolean sizeCertain;
    /** Whether the size has changed during the READ. */
    private boolean resized;

    private Expected(ModelFile file, int mount, int position, int length) {
        this.file = file;
        this.position = position;
        this.octets = file.content(position, length);
        this.size = file.size();
        this.since = file.history().since(mount);
        this.sizeCertain = file.isSizeKnown(mount);
        for (int i = 0; i < length; i++) {
            uncertain.set(i, !file.isKnown(mount, position + i));
        }
    }

    /** The expected result of a READ that a mount is about to call. */
    static Expected of(ModelFile file, int mount, int position, int length) {
        return new Expected(file, mount, position, length);
    }

    /** Octets change during the READ, which may find the old or the new ones. */
    void overlapped(int from, int to, boolean isResized) {
        int first = Math.max(0, from - position);
        int end = Math.min(octets.length, to - position);
        if (first < end) {
            uncertain.set(first, end);
        }
        sizeCertain &= !isResized;
        resized |= isResized;
    }

    /** The first change of the file that the READ may not have seen. */
    long since() {
        return since;
    }

    /** The number of octets to read from a file of a size; -1 at the end. */
    private int length(int of) {
        int left = Math.min(octets.length, of - position);
        return left > 0 ? left : -1;
    }

    boolean isCertain() {
        return sizeCertain;
    }

    private boolean mayRead(int read, boolean maybeShort) {
        IntPredicate fits = of -> read == length(of) || (maybeShort && read > 0 && read < length(of));
        return hadSize(fits) || endsBetweenRequests(read);
    }

    private boolean hadSize(IntPredicate which) {
        return which.test(size) || (!sizeCertain && file.history().hadSize(since, which));
    }

    /**
     * Whether the READ may end between two requests: one may be executed before the change of the size, and the next
     * one after it.
     */
    private boolean endsBetweenRequests(int read) {
        return resized
                && read > 0
                && read % REQUEST == 0
                && hadSize(of -> length(of) <= read)
                && hadSize(of -> length(of) >= read);
    }

    /** Fails where the READ has another result. */
    void check(String what, int read, ByteBuffer buffer, boolean maybeShort) {
        if (!mayRead(read, maybeShort)) {
            throw new AssertionError(what + " has read " + read + " octets instead of " + length(size));
        }
        if (buffer.position() != Math.max(0, read)) {
            throw new AssertionError(what + " has read " + read + ", but the buffer is at " + buffer.position());
        }
        for (int i = 0; i < read; i++) {
            if (!mayFind(i, buffer.get(i))) {
                throw new AssertionError(what + " has read " + buffer.get(i) + " instead of " + octets[i] + " at "
                        + (position + i) + ", octet " + i + " of " + read + "; " + differences(buffer, read)
                        + " octets differ" + (uncertain.get(i) ? ", and never were so" : ""));
            }
        }
    }

    private boolean mayFind(int i, byte found) {
        return found == octets[i] || (uncertain.get(i) && file.history().had(since, position + i, found));
    }

    private long differences(ByteBuffer buffer, int read) {
        long count = 0;
        for (int i = 0; i < read; i++) {
            count += mayFind(i, buffer.get(i)) ? 0 : 1;
        }
        return count;
    }
}
