package io.verbena.nfs41.server.internal.vfs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object of the exported tree and where it was last seen. Identity is the inode number and its generation; the
 * places are hints, checked against the file system whenever one is used. Thread safe.
 */
public final class Inode {
    /** Where an object is: a name in a directory, as a text of octets. */
    record Place(Inode parent, String name) {}

    private static final int MAX_PLACES = 8;
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

    /** What tells it from others that had its number before. */
    public long generation() {
        return generation;
    }

    boolean isRoot() {
        return isRoot;
    }

    /** Its newest known place; null for the root and where none is known. */
    Place place() {
        Place[] known = places;
        return known.length == 0 ? null : known[0];
    }

    /** Its places, newest first. */
    Place[] places() {
        return places.clone();
    }

    /** Makes a place the newest. */
    synchronized void seenAt(Inode parent, String name) {
        Place[] known = places;
        if (known.length > 0 && isAt(known[0], parent, name)) {
            return;
        }
        Place[] kept = without(known, parent, name);
        Place[] now = new Place[Math.min(kept.length + 1, MAX_PLACES)];
        now[0] = new Place(parent, name);
        System.arraycopy(kept, 0, now, 1, now.length - 1);
        places = now;
    }

    synchronized void goneFrom(Inode parent, String name) {
        places = without(places, parent, name);
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

    /** The newest walk through the tree that had begun when the object was last come upon. */
    int sightedIn() {
        return sightedIn;
    }

    void sighted(int walk) {
        sightedIn = walk;
    }

    /** How often this server has changed it: tells changes within one tick of the kernel's clock apart. */
    long changes() {
        return changes;
    }

    /** Called behind each change that this server makes. */
    void changed() {
        CHANGES.getAndAdd(this, 1L);
    }

    /** Two of the same object are equal: one may have been dropped from the index and found again. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Inode that && number == that.number && generation == that.generation;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
