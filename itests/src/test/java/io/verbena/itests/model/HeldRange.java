package io.verbena.itests.model;

import java.util.List;

/**
 * A held lock.
 *
 * @param root the RemoteFile or channel that has taken the lock
 * @param lock releases the lock
 */
record HeldRange(Door root, long position, long size, boolean shared, Door.Lock lock) {
    private boolean overlaps(long otherPosition, long otherSize) {
        return position < otherPosition + otherSize && otherPosition < position + size;
    }

    private static List<HeldRange> overlapping(ModelFile file, long position, long size) {
        return file.locks.stream().filter(held -> held.overlaps(position, size)).toList();
    }

    /** Whether another mount holds a lock that conflicts with a range. */
    static boolean isDeniedByOther(ModelFile file, int mount, long position, long size, boolean shared) {
        return file.locks.stream()
                .anyMatch(held -> held.root().mount() != mount && isDenied(held, position, size, shared));
    }

    /** Whether a lock of another mount conflicts with a range. */
    static boolean isDenied(HeldRange other, long position, long size, boolean shared) {
        return other.overlaps(position, size) && !(shared && other.shared());
    }

    /** The locks of the same mount that a range overlaps. */
    static List<HeldRange> ofSameMount(ModelFile file, int mount, long position, long size) {
        return overlapping(file, position, size).stream()
                .filter(held -> held.root().mount() == mount)
                .toList();
    }

    @Override
    public String toString() {
        return root + " [" + position + "," + (position + size) + (shared ? ") shared" : ")");
    }
}
