package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;

/**
 * What a listing told of an entry: whoever walks a tree asks for it at once. It holds for a moment only, and only while
 * this file system has changed nothing.
 *
 * @param attributes of the object itself
 * @param changes the file system's count of changes at the time
 * @param nanos when, of {@link System#nanoTime}
 */
record Listed(FileAttributes attributes, long changes, long nanos) {
    private static final long GOOD_FOR_NANOS = 1_000_000_000L;

    boolean isGood(long changesNow, long nanosNow) {
        return changes == changesNow && nanosNow - nanos < GOOD_FOR_NANOS;
    }
}
