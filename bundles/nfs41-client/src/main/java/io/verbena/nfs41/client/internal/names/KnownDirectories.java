package io.verbena.nfs41.client.internal.names;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.client.internal.util.PathSteps;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The handles of the deep directories that walks have passed last. A walk below one of them begins there, and so a path
 * of a thousand names costs no thousand LOOKUPs each time. A handle is used for the time for which the mount uses
 * attributes without asking, as another client may have moved the directory meanwhile. A rename by this mount drops all
 * handles at once. Thread safe.
 */
final class KnownDirectories {
    /** A directory of fewer steps from the root of the export is walked to each time. */
    static final int DEEP = 16;

    private static final int MOST = 16;
    private static final int MOST_CHARACTERS = 1 << 16;

    private final LongSupplier clock;
    private final long maxAgeNanos;

    @GuardedBy("this")
    private final Deque<Directory> directories = new ArrayDeque<>();

    @GuardedBy("this")
    private long renames;

    /**
     * A known directory.
     *
     * @param steps from the root of the export, without {@code ..}
     */
    record Directory(List<String> steps, FileHandle handle, Moment asked) {
        boolean isAbove(List<String> others) {
            int depth = steps.size();
            if (depth > others.size()) {
                return false;
            }
            // the last names differ more often than the first
            for (int i = depth - 1; i >= 0; i--) {
                if (!steps.get(i).equals(others.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** When a walk asked. */
    record Moment(long nanos, long renames) {}

    /**
     * @param clock in nanoseconds
     * @param maxAgeNanos the greatest age of a handle; 0 for none
     */
    KnownDirectories(LongSupplier clock, long maxAgeNanos) {
        this.clock = clock;
        this.maxAgeNanos = maxAgeNanos;
    }

    /** Whether the directory of so many steps is worth to be known. */
    boolean wants(List<String> steps, int depth) {
        return depth >= DEEP && maxAgeNanos > 0 && steps.stream().noneMatch(PathSteps::isUp);
    }

    synchronized Moment now() {
        return new Moment(clock.getAsLong(), renames);
    }

    /** The deepest known directory at or above these steps, or null. */
    synchronized Directory above(List<String> steps) {
        Directory deepest = null;
        for (Iterator<Directory> all = directories.iterator(); all.hasNext(); ) {
            Directory each = all.next();
            if (!isFresh(each.asked)) {
                all.remove();
            } else if ((deepest == null || each.steps.size() > deepest.steps.size()) && each.isAbove(steps)) {
                deepest = each;
            }
        }
        return deepest;
    }

    /** Keeps the handle that a walk has got. */
    void found(List<String> steps, FileHandle handle, Moment asked) {
        List<String> kept = List.copyOf(steps);
        if (kept.stream().mapToLong(String::length).sum() > MOST_CHARACTERS) {
            return;
        }
        Directory directory = new Directory(kept, handle, asked);
        synchronized (this) {
            if (isFresh(asked)) {
                directories.removeIf(each -> each.steps.equals(kept));
                directories.addFirst(directory);
                if (directories.size() > MOST) {
                    directories.removeLast();
                }
            }
        }
    }

    @GuardedBy("this")
    private boolean isFresh(Moment asked) {
        return asked.renames == renames && clock.getAsLong() - asked.nanos < maxAgeNanos;
    }

    /** Drops this directory and those below, which the server did not find there any more. */
    synchronized void forget(Directory gone) {
        for (Iterator<Directory> each = directories.iterator(); each.hasNext(); ) {
            if (gone.isAbove(each.next().steps)) {
                each.remove();
            }
        }
    }

    /** A rename by this mount begins or has ended: a directory on the way may be another one now. */
    synchronized void renamed() {
        renames++;
        directories.clear();
    }
}
