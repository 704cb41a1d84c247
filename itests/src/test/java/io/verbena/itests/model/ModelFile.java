package io.verbena.itests.model;

import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a file holds after all that was called so far, and which octets a mount need not have seen yet: those that the
 * other mount has written since this one opened or locked the file, and at that time those that the other had not synced.
 */
final class ModelFile {
    static final int MOST_OCTETS = 64 << 10;

    private final int number;
    private final byte[] content = new byte[MOST_OCTETS];
    private int size;
    /** How many names it has. */
    int links;

    /** The mode, where it was set. */
    Set<PosixFilePermission> mode;
    /** The time of modification, where it was set since the file was last written or truncated. */
    Instant modified;

    /** Locks that are held. */
    final List<HeldRange> locks = new ArrayList<>();
    /** Doors that are open on it. */
    final List<Door> doors = new ArrayList<>();

    private final View[] views = {new View(), new View()};
    private final Set<PendingCall> reads = new HashSet<>();
    private final History history = new History(this);

    /** What a mount knows of the file, and what of it the other mount is not to rely on. */
    private static final class View {
        /** What the other mount has changed and this one need not have seen. */
        private final BitSet unseen = new BitSet();

        private boolean sizeUnseen;
        /** What this mount has changed and not synced by all of the doors that it went through. */
        private final BitSet unsynced = new BitSet();

        private boolean sizeUnsynced;
        private final Set<Door> writers = new HashSet<>();
    }

    ModelFile(int number) {
        this.number = number;
    }

    int size() {
        return size;
    }

    byte[] content() {
        return Arrays.copyOf(content, size);
    }

    /** Octets of the whole range, which may lie behind the end: zeros. */
    byte[] content(int from, int length) {
        return Arrays.copyOfRange(content, from, from + length);
    }

    /** Octets are written through a door, and not synced yet; what lies between the end and them becomes zeros. */
    void write(Door by, int position, byte[] octets) {
        View own = views[by.mount()];
        own.unsynced.set(Math.min(size, position), position + octets.length);
        own.sizeUnsynced |= position + octets.length > size;
        own.writers.add(by.root());
        writeSynced(by.mount(), position, octets);
    }

    /** As above, by what was closed at once. */
    void writeSynced(int mount, int position, byte[] octets) {
        int to = position + octets.length;
        changing(mount, Math.min(size, position), to, Math.max(size, to));
        System.arraycopy(octets, 0, content, position, octets.length);
        // not the hole before them: who does not know that the file was made shorter may still see what was there
        views[mount].unseen.clear(position, to);
        size = Math.max(size, to);
    }

    /** The size is set; by nobody's door where the file is opened to be truncated. */
    void truncate(int mount, int newSize) {
        int from = Math.min(size, newSize);
        int to = Math.max(size, newSize);
        changing(mount, from, to, newSize);
        Arrays.fill(content, from, MOST_OCTETS, (byte) 0);
        views[mount].unseen.clear(from, to);
        views[mount].sizeUnseen = false;
        size = newSize;
    }

    private void changing(int mount, int from, int to, int newSize) {
        boolean resized = newSize != size;
        modified = null;
        forget();
        history.changing(from, to, newSize);
        views[1 - mount].unseen.set(from, to);
        views[1 - mount].sizeUnseen |= resized;
        reads.forEach(read -> read.expected().overlapped(from, to, resized));
    }

    /** What nobody may see any more. */
    private void forget() {
        long oldest = Math.min(history.since(0), history.since(1));
        for (PendingCall read : reads) {
            oldest = Math.min(oldest, read.expected().since());
        }
        history.forgetBefore(oldest);
    }

    History history() {
        return history;
    }

    /** Whether a mount may be told that the file has that size. */
    boolean mayHaveSize(int mount, long told) {
        return told == size || (!isSizeKnown(mount) && history.hadSize(history.since(mount), had -> had == told));
    }

    /** All that was written through a door, and those that rest on it, can be seen by who opens or locks the file. */
    void synced(Door root) {
        View own = views[root.mount()];
        if (own.writers.remove(root) && own.writers.isEmpty()) {
            own.unsynced.clear();
            own.sizeUnsynced = false;
        }
    }

    /** A mount has opened or locked the file, and sees what the other has synced. */
    void seen(int mount) {
        View own = views[mount];
        View other = views[1 - mount];
        own.unseen.and(other.unsynced);
        own.sizeUnseen &= other.sizeUnsynced;
        if (own.unseen.isEmpty() && !own.sizeUnseen) {
            history.seen(mount);
        }
    }

    /** Doors through which a mount has written what is not synced. */
    List<Door> writers(int mount) {
        return views[mount].writers.stream()
                .sorted(Comparator.comparing(Door::number))
                .toList();
    }

    /** Whether a mount may write there: what the other wrote there is at the server, and no longer on its way. */
    boolean mayWrite(int mount, int position, int length) {
        View other = views[1 - mount];
        int conflict = other.unsynced.nextSetBit(Math.min(size, position));
        boolean extending = position + length > size;
        return (conflict < 0 || conflict >= position + length) && !(extending && other.sizeUnsynced);
    }

    /** Whether nothing of the other's is unknown to a mount, so that it may truncate and append. */
    boolean isAllKnown(int mount) {
        return views[1 - mount].writers.isEmpty() && views[mount].unseen.isEmpty() && isSizeKnown(mount);
    }

    boolean isSizeKnown(int mount) {
        return !views[mount].sizeUnseen;
    }

    boolean isKnown(int mount, int octet) {
        return !views[mount].unseen.get(octet);
    }

    void begun(PendingCall read) {
        reads.add(read);
    }

    void ended(PendingCall read) {
        reads.remove(read);
    }

    /** Nobody can reach it any more. */
    boolean isGone() {
        return links == 0 && doors.isEmpty();
    }

    @Override
    public String toString() {
        return "file" + number;
    }
}
