package io.verbena.cli.internal;

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
 * What is in directories, for somebody who types and waits for it: only for so long, however long a server takes. A
 * directory that takes longer is read on meanwhile, and what was read is there when it is asked for again soon. Its
 * threads end by themselves when nothing is asked for a while. May be called from any thread.
 */
public final class RecentListings {
    private static final Logger LOG = LoggerFactory.getLogger(RecentListings.class);

    /** How long a directory is read, and what was read is kept. */
    private static final Duration LIFE = Duration.ofSeconds(10);

    private static final int MAX_LISTINGS = 4;
    private static final long KEEP_ALIVE_SECONDS = 10;

    /** One more than there are listings to read, which is for their end. */
    private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(MAX_LISTINGS + 1, work -> {
        Thread thread = new Thread(work, "verbena-completion");
        thread.setDaemon(true);
        return thread;
    });

    // guarded by this
    private final Map<Directory, Listing> listings = new HashMap<>();

    private record Directory(Mount mount, String path) {}

    /**
     * One of them.
     *
     * @param work which reads it
     * @param end of its time
     */
    private record Listing(DirectoryReading reading, Future<?> work, Future<?> end) {}

    RecentListings() {
        threads.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        threads.setRemoveOnCancelPolicy(true);
    }

    /**
     * Hands over what is in a directory as it is read, on the calling thread.
     *
     * @param time to wait at most
     * @param visitor takes an entry and tells whether it wants more
     * @return whether it was handed all of them; false too where the directory cannot be read
     */
    public boolean visit(Mount mount, String path, Duration time, Predicate<DirectoryReading.Entry> visitor) {
        Directory directory = new Directory(mount, path);
        Listing known;
        Listing listing;
        try {
            synchronized (this) {
                known = listings.get(directory);
                if (known == null && listings.size() == MAX_LISTINGS && !forgetOne()) {
                    return false; // as many that take long
                }
                listing = known == null ? begin(directory) : known;
            }
        } catch (RejectedExecutionException e) {
            LOG.debug("{} is not read: the shell is going", directory, e);
            return false;
        }
        try {
            boolean all = listing.reading.visit(time, visitor);
            // what takes no time is read anew each time
            if (listing.reading.hasFailed() || (all && known == null)) {
                forget(directory, listing);
            }
            return all;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

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

    /** Makes room where one has been read. */
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
