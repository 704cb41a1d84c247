package io.verbena.nfs.transfer;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/** The options of a copy. Immutable. Each {@code with...} method returns new options that differ in one value. */
public final class CopyOptions {
    /** The largest number of jobs. A larger number would only make the jobs wait for each other. */
    public static final int MAX_JOBS = 64;

    /** The largest number of retries. */
    public static final int MAX_RETRIES = 100;

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
        /**
         * Keeps the incomplete copy of a file of more than 1 MiB after an interrupt or a cancellation, for a later copy
         * with {@link #RESUME}. Without this flag and {@code RESUME}, an incomplete copy is removed.
         */
        KEEP_PARTIAL,
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

    private final LongSupplier limit;
    private final NameFilter filter;
    private final FileSelection selection;
    private final long maxRemovals;
    private final Optional<Location> backup;
    private final int retries;

    private CopyOptions(
            Set<Flag> flags,
            int jobs,
            LongSupplier limit,
            NameFilter filter,
            FileSelection selection,
            long maxRemovals,
            Optional<Location> backup,
            int retries) {
        this.flags = Set.copyOf(flags);
        this.jobs = jobs;
        this.limit = limit;
        this.filter = filter;
        this.selection = selection;
        this.maxRemovals = maxRemovals;
        this.backup = backup;
        this.retries = retries;
    }

    /** Returns options with these flags, and with the default for every other option. */
    public static CopyOptions of(Flag... flags) {
        return new CopyOptions(
                Set.of(flags), 0, () -> 0, NameFilter.ALL, FileSelection.ALL, Long.MAX_VALUE, Optional.empty(), 0);
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
        return new CopyOptions(set, jobs, limit, filter, selection, maxRemovals, backup, retries);
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
        return new CopyOptions(flags, newJobs, limit, filter, selection, maxRemovals, backup, retries);
    }

    /**
     * Returns options with this limit of the rate.
     *
     * @param newLimit the limit between this host and servers, in octets a second; 0 for none
     */
    public CopyOptions withLimit(long newLimit) {
        return new CopyOptions(flags, jobs, () -> newLimit, filter, selection, maxRemovals, backup, retries);
    }

    /**
     * Returns options with a limit of the rate that can change while the copy runs.
     *
     * @param newLimit returns the limit between this host and servers, in octets a second; 0 for none. Several threads
     *     of the copy call it, once for each block and at least once a second while they wait. It must not block.
     */
    public CopyOptions withLimit(LongSupplier newLimit) {
        return new CopyOptions(flags, jobs, newLimit, filter, selection, maxRemovals, backup, retries);
    }

    /**
     * Returns options with a selection of files by size, time and name. It applies to the sources as well as to the
     * entries of copied directories.
     */
    public CopyOptions withSelection(FileSelection newSelection) {
        return new CopyOptions(flags, jobs, limit, filter, newSelection, maxRemovals, backup, retries);
    }

    /**
     * Returns options with a limit of removals. If more files and directories would be removed from the target, the
     * copy fails before it changes anything. Applies only with {@link Flag#DELETE}.
     *
     * @param most the largest number of files and directories that the copy removes or replaces by an object of another
     *     type
     * @throws IllegalArgumentException if the number is negative
     */
    public CopyOptions withMaxRemovals(long most) {
        if (most < 0) {
            throw new IllegalArgumentException(most + " removals: it is a number from 0");
        }
        return new CopyOptions(flags, jobs, limit, filter, selection, most, backup, retries);
    }

    /**
     * Returns options with a directory for the files that the copy replaces or removes. Each gets the place there that
     * it had below the target. A backup that is there already stays: the new one gets {@code .~1~}, {@code .~2~} and so
     * on after its name. The directory is made when it is needed; the directory above it must exist. It must be on the
     * mount of the target, or on this host like the target, and on the same file system. It must not be the target;
     * with {@link Flag#SYNC} it must neither be below the target nor below the source. A file that cannot be kept there
     * is neither replaced nor removed, and becomes a failure.
     */
    public CopyOptions withBackup(Location directory) {
        return new CopyOptions(flags, jobs, limit, filter, selection, maxRemovals, Optional.of(directory), retries);
    }

    /**
     * Returns options with this number of retries. A file that failed for a passing reason, such as an input or output
     * error of the server, a source that changed, or a content that differed, is copied again when all other files are
     * done. The copy pauses for 1 second before the first retry, and for twice as long before each further one, at most
     * 30 seconds.
     *
     * @param most the largest number of further attempts for each file
     * @throws IllegalArgumentException if the number is not from 0 to {@link #MAX_RETRIES}
     */
    public CopyOptions withRetries(int most) {
        if (most < 0 || most > MAX_RETRIES) {
            throw new IllegalArgumentException(most + " retries: it is a number from 0 to " + MAX_RETRIES);
        }
        return new CopyOptions(flags, jobs, limit, filter, selection, maxRemovals, backup, most);
    }

    /** Returns options with a filter for the entries of the copied directories. */
    public CopyOptions withFilter(NameFilter newFilter) {
        return new CopyOptions(flags, jobs, limit, newFilter, selection, maxRemovals, backup, retries);
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

    /** Returns the present limit of the rate between this host and servers, in octets a second; 0 for no limit. */
    public long limit() {
        return limit.getAsLong();
    }

    /** Returns the selection of files by size, time and name. */
    public FileSelection selection() {
        return selection;
    }

    /** Returns the largest number of files and directories to remove; {@link Long#MAX_VALUE} for no limit. */
    public long maxRemovals() {
        return maxRemovals;
    }

    /** Returns the directory for replaced and removed files; empty if they are not kept. */
    public Optional<Location> backup() {
        return backup;
    }

    /** Returns the largest number of further attempts for a file that failed for a passing reason. */
    public int retries() {
        return retries;
    }

    /** Returns the filter for the entries of the copied directories. */
    public NameFilter filter() {
        return filter;
    }
}
