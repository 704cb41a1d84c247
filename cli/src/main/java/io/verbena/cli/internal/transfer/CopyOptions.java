package io.verbena.cli.internal.transfer;

import java.util.EnumSet;
import java.util.Set;

/**
 * How to copy.
 *
 * @param flags what to do besides
 * @param jobs how many files, or parts of large files, are moved at a time
 * @param limit octets a second at most between this host and servers; 0 for no limit
 * @param filter what is copied of what is in directories
 */
public record CopyOptions(Set<Flag> flags, int jobs, long limit, NameFilter filter) {
    /** The most jobs; more would only wait for each other. */
    public static final int MAX_JOBS = 64;

    private static final int MIN_DEFAULT_JOBS = 4;
    private static final int MAX_DEFAULT_JOBS = 16;

    /** What to do besides. */
    public enum Flag {
        /** Directories are copied. */
        RECURSIVE,
        /** Files are replaced that may not be written. */
        FORCE,
        /** Owners, groups, times of access and all bits of modes are kept, where permitted. */
        PRESERVE,
        /** What was written is read back and compared. */
        VERIFY,
        /** What an earlier copy has left is taken up, and what it has done is left out. */
        RESUME,
        /** Makes the target a tree like the source: what is the same is left as it is. */
        SYNC,
        /** What is the same is found by content, not by size and time. */
        CHECKSUM,
        /** What the source does not have is removed. */
        DELETE,
        /** Names of one file become names of one file. */
        HARD_LINKS
    }

    public CopyOptions {
        flags = Set.copyOf(flags);
    }

    /** These, and what holds without being asked for. */
    public static CopyOptions of(Flag... flags) {
        EnumSet<Flag> set = EnumSet.noneOf(Flag.class);
        set.addAll(Set.of(flags));
        return new CopyOptions(set, defaultJobs(Runtime.getRuntime().availableProcessors()), 0, NameFilter.ALL);
    }

    /** Two a core, since small files wait for answers rather than compute, within bounds. */
    public static int defaultJobs(int cores) {
        return Math.max(MIN_DEFAULT_JOBS, Math.min(MAX_DEFAULT_JOBS, 2 * cores));
    }

    public CopyOptions with(Flag flag, boolean isSet) {
        EnumSet<Flag> set = EnumSet.noneOf(Flag.class);
        set.addAll(flags);
        if (isSet) {
            set.add(flag);
        } else {
            set.remove(flag);
        }
        return new CopyOptions(set, jobs, limit, filter);
    }

    public CopyOptions withJobs(int newJobs) {
        return new CopyOptions(flags, newJobs, limit, filter);
    }

    public CopyOptions withLimit(long newLimit) {
        return new CopyOptions(flags, jobs, newLimit, filter);
    }

    public CopyOptions withFilter(NameFilter newFilter) {
        return new CopyOptions(flags, jobs, limit, newFilter);
    }

    boolean has(Flag flag) {
        return flags.contains(flag);
    }
}
