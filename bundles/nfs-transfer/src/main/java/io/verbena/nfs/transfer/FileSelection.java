package io.verbena.nfs.transfer;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Selects the files to copy by size, time of modification and a list of names. Size and time are those of regular
 * files: they leave out no directory and no symbolic link. A file that is left out is neither copied nor removed from
 * the target. A {@link NameFilter} applies as well. Immutable. Each {@code with...} method returns a new selection that
 * differs in one value. All methods may be called from any thread.
 */
public final class FileSelection {
    /** A selection of every file. */
    public static final FileSelection ALL =
            new FileSelection(0, Long.MAX_VALUE, Instant.MIN, Instant.MAX, Optional.empty());

    private final long minSize;
    private final long maxSize;
    private final Instant notBefore;
    private final Instant notAfter;
    private final Optional<NameList> names;

    private FileSelection(long minSize, long maxSize, Instant notBefore, Instant notAfter, Optional<NameList> names) {
        this.minSize = minSize;
        this.maxSize = maxSize;
        this.notBefore = notBefore;
        this.notAfter = notAfter;
        this.names = names;
    }

    /**
     * Returns a selection of the files of these sizes.
     *
     * @param min the smallest size in octets
     * @param max the largest size in octets; {@link Long#MAX_VALUE} for no limit
     * @throws IllegalArgumentException if the smallest size is negative or above the largest size
     */
    public FileSelection withSizes(long min, long max) {
        if (min < 0 || min > max) {
            throw new IllegalArgumentException("the smallest size, " + min + ", is above the largest, " + max);
        }
        return new FileSelection(min, max, notBefore, notAfter, names);
    }

    /**
     * Returns a selection of the files that were modified in this period. Both ends belong to the period.
     *
     * @param from the earliest time; {@link Instant#MIN} for no limit
     * @param until the latest time; {@link Instant#MAX} for no limit
     * @throws IllegalArgumentException if the earliest time is after the latest time
     */
    public FileSelection withTimes(Instant from, Instant until) {
        if (from.isAfter(until)) {
            throw new IllegalArgumentException("the earliest time, " + from + ", is after the latest, " + until);
        }
        return new FileSelection(minSize, maxSize, from, until, names);
    }

    /**
     * Returns a selection of the named files. A name is the path below the only source, which must be a directory. A
     * name of a directory stands for everything in it. A name that the source does not have is a failure of the copy.
     */
    public FileSelection withNames(NameList newNames) {
        return new FileSelection(minSize, maxSize, notBefore, notAfter, Optional.of(Objects.requireNonNull(newNames)));
    }

    /** Returns the list of names; empty if files are not selected by a list. */
    public Optional<NameList> names() {
        return names;
    }

    /** Returns whether size or time can leave out files. */
    public boolean hasBounds() {
        return minSize > 0
                || maxSize < Long.MAX_VALUE
                || notBefore.isAfter(Instant.MIN)
                || notAfter.isBefore(Instant.MAX);
    }

    /**
     * Returns whether a regular file has a selected size and time. The list of names is not looked at.
     *
     * @param size the size in octets
     * @param modified the time of modification
     */
    public boolean takes(long size, Instant modified) {
        return size >= minSize && size <= maxSize && !modified.isBefore(notBefore) && !modified.isAfter(notAfter);
    }
}
