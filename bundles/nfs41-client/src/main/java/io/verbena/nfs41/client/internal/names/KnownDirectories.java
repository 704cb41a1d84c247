package io.verbena.nfs41.client.internal.names;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.client.internal.util.PathSteps;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private static final int MOST = 256;
    private static final int MOST_CHARACTERS = 1 << 19;
    /** How far above the directory of its last step a walk asks for handles, for walks from there upwards. */
    private static final List<Integer> ASKED_ABOVE = List.of(0, 8, 64, 512);

    private final LongSupplier clock;
    private final long maxAgeNanos;

    /** By the hash of the path, the latest last. */
    @GuardedBy("this")
    private final Map<Long, Directory> directories = new LinkedHashMap<>();

    @GuardedBy("this")
    private int characters;

    @GuardedBy("this")
    private long renames;

    /**
     * A known directory.
     *
     * @param path the steps from the root of the export, without {@code ..}, with a slash between
     * @param depth the number of steps
     */
    record Directory(String path, int depth, FileHandle handle, Moment asked) {
        boolean isAbove(String other) {
            return other.startsWith(path) && (other.length() == path.length() || other.charAt(path.length()) == '/');
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

    /** Whether a walk of these steps keeps handles, and begins at one of them. */
    boolean matterFor(List<String> steps) {
        return steps.size() > DEEP && maxAgeNanos > 0 && steps.stream().noneMatch(PathSteps::isUp);
    }

    /** The number of handles that a walk asks for at most. */
    static int mostAsked() {
        return ASKED_ABOVE.size();
    }

    /** Whether a walk asks for the handle of the directory of so many of its steps. */
    static boolean asksAt(int depth, int steps) {
        return depth >= DEEP && ASKED_ABOVE.contains(steps - 1 - depth);
    }

    synchronized Moment now() {
        return new Moment(clock.getAsLong(), renames);
    }

    /** The deepest known directory at or above these steps, or null. */
    synchronized Directory above(List<String> steps) {
        String path = String.join("/", steps);
        Directory deepest = null;
        long hash = 0;
        for (int i = 0; i <= path.length(); i++) {
            if (i == path.length() || path.charAt(i) == '/') {
                Directory each = directories.get(hash);
                if (each != null && each.path.length() == i && each.isAbove(path) && isFresh(each.asked)) {
                    deepest = each;
                }
            }
            hash = i < path.length() ? next(hash, path.charAt(i)) : hash;
        }
        return deepest;
    }

    private static long next(long hash, char character) {
        return hash * 31 + character;
    }

    /** Keeps the handle that a walk has got. */
    void found(List<String> steps, FileHandle handle, Moment asked) {
        String path = String.join("/", steps);
        long hash = 0;
        for (int i = 0; i < path.length(); i++) {
            hash = next(hash, path.charAt(i));
        }
        Directory directory = new Directory(path, steps.size(), handle, asked);
        synchronized (this) {
            if (isFresh(asked) && path.length() <= MOST_CHARACTERS) {
                drop(directories.remove(hash));
                directories.put(hash, directory);
                characters += path.length();
                Iterator<Directory> eldest = directories.values().iterator();
                while (directories.size() > MOST || characters > MOST_CHARACTERS) {
                    drop(eldest.next());
                    eldest.remove();
                }
            }
        }
    }

    @GuardedBy("this")
    private void drop(Directory directory) {
        characters -= directory == null ? 0 : directory.path.length();
    }

    @GuardedBy("this")
    private boolean isFresh(Moment asked) {
        return asked.renames == renames && clock.getAsLong() - asked.nanos < maxAgeNanos;
    }

    /** Drops this directory and those below, which the server did not find there any more. */
    synchronized void forget(Directory gone) {
        for (Iterator<Directory> each = directories.values().iterator(); each.hasNext(); ) {
            Directory next = each.next();
            if (gone.isAbove(next.path)) {
                drop(next);
                each.remove();
            }
        }
    }

    /** A rename by this mount begins or has ended: a directory on the way may be another one now. */
    synchronized void renamed() {
        renames++;
        directories.clear();
        characters = 0;
    }
}
