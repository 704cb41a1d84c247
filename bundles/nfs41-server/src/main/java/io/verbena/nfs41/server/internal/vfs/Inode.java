package io.verbena.nfs41.server.internal.vfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.util.HeapShare;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object of the exported tree, and the places where it was last seen. The inode number and the generation identify
 * it. The places are hints, which are checked against the file system before each use. Thread safe.
 */
public final class Inode {
    /** The place of an object: a name in a directory, as a text of octets. */
    public record Place(Inode parent, String name) {}

    private static final int MAX_PLACES = 8;

    /** The heap that an object takes with its entry in an index, and that a place takes without its name. */
    private static final int OCTETS = 192;

    private static final int PLACE_OCTETS = 80;
    private static final Place[] NOWHERE = {};
    private static final VarHandle CHANGES;

    static {
        try {
            CHANGES = MethodHandles.lookup().findVarHandle(Inode.class, "changes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long number;
    private final long generation;
    private final boolean isRoot;
    private volatile Place[] places = NOWHERE;
    private volatile long changes;
    private volatile int sightedIn;

    @GuardedBy("this")
    private HeapShare.Part share;

    private Inode(long number, long generation, boolean isRoot) {
        this.number = number;
        this.generation = generation;
        this.isRoot = isRoot;
    }

    /** The exported directory itself. */
    static Inode root(long number, long generation) {
        return new Inode(number, generation, true);
    }

    public static Inode of(long number, long generation) {
        return new Inode(number, generation, false);
    }

    public long number() {
        return number;
    }

    /** The generation, which distinguishes the object from earlier ones with its inode number. */
    public long generation() {
        return generation;
    }

    boolean isRoot() {
        return isRoot;
    }

    /** The newest known place; null for the root, and if no place is known. */
    public Place place() {
        Place[] known = places;
        return known.length == 0 ? null : known[0];
    }

    /** The known places, newest first. */
    Place[] places() {
        return places.clone();
    }

    /** Called when the object is added to an index, which accounts for its heap. */
    synchronized void indexed(HeapShare.Part paidBy) {
        if (share == null) {
            share = paidBy;
            share.add(octets(places));
        }
    }

    /** Called when the object is removed from the index. */
    synchronized void dropped() {
        if (share != null) {
            share.add(-octets(places));
            share = null;
        }
    }

    private static long octets(Place... places) {
        long octets = OCTETS;
        for (Place place : places) {
            octets += PLACE_OCTETS + place.name.length();
        }
        return octets;
    }

    @GuardedBy("this")
    private void places(Place... now) {
        if (share != null) {
            share.add(octets(now) - octets(places));
        }
        places = now;
    }

    /** Makes a place the newest one. */
    synchronized void seenAt(Inode parent, String name) {
        Place[] known = places;
        if (known.length > 0 && isAt(known[0], parent, name)) {
            return;
        }
        Place[] kept = without(known, parent, name);
        Place[] now = new Place[Math.min(kept.length + 1, MAX_PLACES)];
        now[0] = new Place(parent, name);
        System.arraycopy(kept, 0, now, 1, now.length - 1);
        places(now);
    }

    synchronized void goneFrom(Inode parent, String name) {
        places(without(places, parent, name));
    }

    private static Place[] without(Place[] known, Inode parent, String name) {
        Place[] kept = new Place[known.length];
        int count = 0;
        for (Place place : known) {
            if (!isAt(place, parent, name)) {
                kept[count++] = place;
            }
        }
        return count == known.length ? known : java.util.Arrays.copyOf(kept, count);
    }

    private static boolean isAt(Place place, Inode parent, String name) {
        return place.parent.equals(parent) && place.name.equals(name);
    }

    /** The number of the latest walk through the tree that had begun when the object was last seen. */
    int sightedIn() {
        return sightedIn;
    }

    void sighted(int walk) {
        sightedIn = walk;
    }

    /**
     * How many times this server has changed the object. The number distinguishes changes within one tick of the
     * kernel's clock.
     */
    long changes() {
        return changes;
    }

    /** Called after each change by this server. */
    void changed() {
        CHANGES.getAndAdd(this, 1L);
    }

    /** Instances for the same object are equal: the object may have been dropped from the index and found again. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Inode that && number == that.number && generation == that.generation;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
