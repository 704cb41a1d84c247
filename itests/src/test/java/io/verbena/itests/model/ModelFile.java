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
 * The content of a file after all calls so far, and the octets that a mount need not have seen yet: those that the
 * other mount has written since this mount has opened or locked the file, and those that the other mount had not synced
 * at that time.
 */
final class ModelFile {
    static final int MOST_OCTETS = 64 << 10;

    private final int number;
    private final byte[] content = new byte[MOST_OCTETS];
    private int size;
    /** The number of names. */
    int links;

    /** The mode, if it was set. */
    Set<PosixFilePermission> mode;
    /** The time of modification, if it was set since the last write or truncation. */
    Instant modified;

    /** The held locks. */
    final List<HeldRange> locks = new ArrayList<>();
    /** The open doors. */
    final List<Door> doors = new ArrayList<>();

    private final View[] views = {new View(), new View()};
    private final Set<PendingCall> reads = new HashSet<>();
    private final History history = new History(this);

    /** The changes that a mount may not know, and those that the other mount may not know. */
    private static final class View {
        /** The octets that the other mount has changed and this mount need not have seen. */
        private final BitSet unseen = new BitSet();

        private boolean sizeUnseen;
        /** The octets that this mount has changed and not yet synced through all doors used. */
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

    /** The octets of a range; octets behind the end are zeros. */
    byte[] content(int from, int length) {
        return Arrays.copyOfRange(content, from, from + length);
    }

    /** Writes octets through a door without a sync. Octets between the end and them become zeros. */
    void write(Door by, int position, byte[] octets) {
        View own = views[by.mount()];
        own.unsynced.set(Math.min(size, position), position + octets.length);
        own.sizeUnsynced |= position + octets.length > size;
        own.writers.add(by.root());
        writeSynced(by.mount(), position, octets);
    }

    /** Writes octets through a door that was closed at once. */
    void writeSynced(int mount, int position, byte[] octets) {
        int to = position + octets.length;
        changing(mount, Math.min(size, position), to, Math.max(size, to));
        System.arraycopy(octets, 0, content, position, octets.length);
        // without the hole before them: a mount that does not know of the truncation may still see the old octets
        views[mount].unseen.clear(position, to);
        size = Math.max(size, to);
    }

    /** Sets the size; an open with truncation does this without a door. */
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

    /** Forgets contents that no mount can see any more. */
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

    /** Whether a mount may see this size. */
    boolean mayHaveSize(int mount, long told) {
        return told == size || (!isSizeKnown(mount) && history.hadSize(history.since(mount), had -> had == told));
    }

    /**
     * Notes a sync: a mount that opens or locks the file now sees all octets written through the door and the doors on
     * it.
     */
    void synced(Door root) {
        View own = views[root.mount()];
        if (own.writers.remove(root) && own.writers.isEmpty()) {
            own.unsynced.clear();
            own.sizeUnsynced = false;
        }
    }

    /** Notes that a mount has opened or locked the file, and sees the synced changes of the other mount. */
    void seen(int mount) {
        View own = views[mount];
        View other = views[1 - mount];
        own.unseen.and(other.unsynced);
        own.sizeUnseen &= other.sizeUnsynced;
        if (own.unseen.isEmpty() && !own.sizeUnseen) {
            history.seen(mount);
        }
    }

    /** The doors with unsynced writes of a mount. */
    List<Door> writers(int mount) {
        return views[mount].writers.stream()
                .sorted(Comparator.comparing(Door::number))
                .toList();
    }

    /**
     * Whether a mount may write a range: the other mount's octets of the range are at the server, and no longer on
     * their way.
     */
    boolean mayWrite(int mount, int position, int length) {
        View other = views[1 - mount];
        int conflict = other.unsynced.nextSetBit(Math.min(size, position));
        boolean extending = position + length > size;
        return (conflict < 0 || conflict >= position + length) && !(extending && other.sizeUnsynced);
    }

    /** Whether a mount knows all changes of the other mount, so that it may truncate and append. */
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

    /** Whether the file can no longer be reached. */
    boolean isGone() {
        return links == 0 && doors.isEmpty();
    }

    @Override
    public String toString() {
        return "file" + number;
    }
}
