package io.verbena.itests.model;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * What a READ is to find. Octets and the length that are certain are those of the model when it was called. What is not
 * certain is as it is, or as it was at some time since the mount knew it, or since the call.
 */
final class Expected {
    /** All requests of a READ but the last are of a multiple of so many octets. */
    private static final int REQUEST = 4096;

    private final ModelFile file;
    private final int position;
    private final byte[] octets;
    private final BitSet uncertain = new BitSet();
    private final int size;
    private final long since;
    private boolean sizeCertain;
    /** Whether the size was changed while it was under way. */
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

    /** For a READ that a mount is about to call. */
    static Expected of(ModelFile file, int mount, int position, int length) {
        return new Expected(file, mount, position, length);
    }

    /** Octets are changed while it is under way: it may find them as they were or as they are. */
    void overlapped(int from, int to, boolean isResized) {
        int first = Math.max(0, from - position);
        int end = Math.min(octets.length, to - position);
        if (first < end) {
            uncertain.set(first, end);
        }
        sizeCertain &= !isResized;
        resized |= isResized;
    }

    /** The first change of the file that it may not have seen. */
    long since() {
        return since;
    }

    /** How many octets are to be read of a file of that size; -1 at the end. */
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

    /** One of the requests may be executed before the size was changed, and the next behind that. */
    private boolean endsBetweenRequests(int read) {
        return resized
                && read > 0
                && read % REQUEST == 0
                && hadSize(of -> length(of) <= read)
                && hadSize(of -> length(of) >= read);
    }

    /** Fails where it has found something else. */
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
