package io.verbena.cli.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides the entries of directories for completion at the prompt. The wait is bounded, however slow a server is. If a
 * directory takes longer, its reading continues in the background, and the entries read by then are available to the
 * next request. The threads end when there is no request for some time. May be called from any thread.
 */
public final class RecentListings {
    private static final Logger LOG = LoggerFactory.getLogger(RecentListings.class);

    /** The longest time that a directory is read, and that its entries are kept. */
    private static final Duration LIFE = Duration.ofSeconds(10);

    private static final int MAX_LISTINGS = 4;
    private static final long KEEP_ALIVE_SECONDS = 10;

    /** The threads: one for each listing, and one to end listings. */
    private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(MAX_LISTINGS + 1, work -> {
        Thread thread = new Thread(work, "verbena-completion");
        thread.setDaemon(true);
        return thread;
    });

    @GuardedBy("this")
    private final Map<Directory, Listing> listings = new HashMap<>();

    private record Directory(Mount mount, String path) {}

    /**
     * A directory that is being read or has been read.
     *
     * @param reading the entries so far
     * @param work the task that reads the directory
     * @param end the task that ends the listing
     */
    private record Listing(DirectoryReading reading, Future<?> work, Future<?> end) {}

    RecentListings() {
        threads.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        threads.setRemoveOnCancelPolicy(true);
    }

    /**
     * Passes the entries of a directory to a visitor while the directory is read, on the calling thread.
     *
     * @param time the longest wait
     * @param visitor receives an entry, and returns whether it wants more
     * @return whether the visitor received all entries; false also if the directory cannot be read
     */
    public boolean visit(Mount mount, String path, Duration time, Predicate<DirectoryReading.Entry> visitor) {
        Directory directory = new Directory(mount, path);
        Listing known;
        Listing listing;
        try {
            synchronized (this) {
                known = listings.get(directory);
                if (known == null && listings.size() == MAX_LISTINGS && !forgetOne()) {
                    return false; // the maximum number of slow directories is being read
                }
                listing = known == null ? begin(directory) : known;
            }
        } catch (RejectedExecutionException e) {
            LOG.debug("{} is not read: the shell is going", directory, e);
            return false;
        }
        try {
            boolean all = listing.reading.visit(time, visitor);
            // A directory that can be read quickly is read anew each time.
            if (listing.reading.hasFailed() || (all && known == null)) {
                forget(directory, listing);
            }
            return all;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @GuardedBy("this")
    private Listing begin(Directory directory) {
        DirectoryReading reading = new DirectoryReading();
        Future<?> work = threads.submit(() -> reading.read(directory.mount, directory.path));
        Future<?> end = threads.schedule(() -> end(directory, reading), LIFE.toNanos(), TimeUnit.NANOSECONDS);
        Listing listing = new Listing(reading, work, end);
        listings.put(directory, listing);
        return listing;
    }

    private synchronized void end(Directory directory, DirectoryReading reading) {
        Listing listing = listings.get(directory);
        if (listing != null && listing.reading == reading) {
            forget(directory, listing);
        }
    }

    /** Forgets one listing whose reading has ended. */
    @GuardedBy("this")
    private boolean forgetOne() {
        return listings.values().removeIf(listing -> listing.reading.hasEnded() && listing.end.cancel(false));
    }

    private synchronized void forget(Directory directory, Listing listing) {
        listing.work.cancel(true);
        listing.end.cancel(false);
        listings.remove(directory, listing);
    }

    void end() {
        threads.shutdownNow();
    }
}
