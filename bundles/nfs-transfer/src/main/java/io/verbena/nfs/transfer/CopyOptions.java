package io.verbena.nfs.transfer;

import java.util.EnumSet;
import java.util.Set;

/** The options of a copy. Immutable. Each {@code with...} method returns new options that differ in one value. */
public final class CopyOptions {
    /** The largest number of jobs. A larger number would only make the jobs wait for each other. */
    public static final int MAX_JOBS = 64;

    private static final int MIN_DEFAULT_JOBS = 4;
    private static final int MAX_DEFAULT_JOBS = 16;

    /** An additional action of a copy, or a change of its default behaviour. */
    public enum Flag {
        /** Copies directories with everything in them. */
        RECURSIVE,
        /** Replaces files that this user has no permission to write. */
        FORCE,
        /** Keeps owners, groups, access times and all mode bits, where permitted. */
        PRESERVE,
        /** Reads source and target again, and compares their SHA-256. */
        VERIFY,
        /** Continues the partial files of an earlier copy, and skips the files that it completed. */
        RESUME,
        /** Makes the target tree like the source tree. Leaves unchanged files as they are. */
        SYNC,
        /** Finds unchanged files by content instead of size and time. Applies only with {@link #SYNC}. */
        CHECKSUM,
        /** Removes from the target everything that the source does not have. Applies only with {@link #SYNC}. */
        DELETE,
        /** Copies the hard links of one file as hard links of one file. */
        HARD_LINKS
    }

    private final Set<Flag> flags;
    /** 0 for the default. */
    private final int jobs;

    private final long limit;
    private final NameFilter filter;

    private CopyOptions(Set<Flag> flags, int jobs, long limit, NameFilter filter) {
        this.flags = Set.copyOf(flags);
        this.jobs = jobs;
        this.limit = limit;
        this.filter = filter;
    }

    /** Returns options with these flags, and with the default for every other option. */
    public static CopyOptions of(Flag... flags) {
        return new CopyOptions(Set.of(flags), 0, 0, NameFilter.ALL);
    }

    /**
     * Returns the default number of jobs for large files: two per core, within fixed bounds.
     *
     * @param cores the number of processor cores
     */
    public static int defaultJobs(int cores) {
        return Math.max(MIN_DEFAULT_JOBS, Math.min(MAX_DEFAULT_JOBS, 2 * cores));
    }

    /** Returns options in which a flag is set or cleared. */
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

    /**
     * Returns options with this number of jobs.
     *
     * @param newJobs the number of files, or parts of large files, that are moved at a time
     * @throws IllegalArgumentException if the number is not from 1 to {@link #MAX_JOBS}
     */
    public CopyOptions withJobs(int newJobs) {
        if (newJobs < 1 || newJobs > MAX_JOBS) {
            throw new IllegalArgumentException(newJobs + " jobs: it is a number from 1 to " + MAX_JOBS);
        }
        return new CopyOptions(flags, newJobs, limit, filter);
    }

    /**
     * Returns options with this limit of the rate.
     *
     * @param newLimit the limit between this host and servers, in octets a second; 0 for none
     */
    public CopyOptions withLimit(long newLimit) {
        return new CopyOptions(flags, jobs, newLimit, filter);
    }

    /** Returns options with a filter for the entries of the copied directories. */
    public CopyOptions withFilter(NameFilter newFilter) {
        return new CopyOptions(flags, jobs, limit, newFilter);
    }

    /** Returns whether a flag is set. */
    public boolean has(Flag flag) {
        return flags.contains(flag);
    }

    /**
     * Returns the number of files, or parts of large files, that are moved at a time. If {@link #hasJobs} is false,
     * that is the default, and more small files are copied at a time: as many as the servers take requests.
     */
    public int jobs() {
        return hasJobs() ? jobs : defaultJobs(Runtime.getRuntime().availableProcessors());
    }

    /** Returns whether {@link #withJobs} has set the number of jobs, which is then that of small files too. */
    public boolean hasJobs() {
        return jobs > 0;
    }

    /** Returns the limit of the rate between this host and servers, in octets a second; 0 for no limit. */
    public long limit() {
        return limit;
    }

    /** Returns the filter for the entries of the copied directories. */
    public NameFilter filter() {
        return filter;
    }
}
