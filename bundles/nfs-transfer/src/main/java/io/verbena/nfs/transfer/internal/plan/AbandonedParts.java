package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes temporary files, links and empty directories from the directories that a copy writes to. These objects remain
 * from copies that were killed or lost their server. At the end of the copy, each object that has not changed for an
 * hour is removed, by the clock of the object's server or host alone: the clocks of clients may be wrong. A running
 * copy of any host changes its own temporary file all the time, or touches it. If a copy cannot do so for more than an
 * hour, it finds its file removed and fails, and never uses the file of another copy. The files that {@code RESUME}
 * keeps have other names and remain. Thread safe.
 */
public final class AbandonedParts {
    /** The idle time of an abandoned file by the clock of the file's server or host. */
    public static final Duration IDLE = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(AbandonedParts.class);
    /**
     * The largest number of entries to examine. A copy of few files must not spend its time listing a large directory.
     */
    private static final int MAX_ENTRIES = 2000;

    private static final int MAX_DIRECTORIES = 1000;

    private final Map<String, TreePath> directories = new ConcurrentHashMap<>();
    private final Runtime runtime;

    /**
     * Creates an empty set of directories.
     *
     * @param runtime the source of the time of this host
     */
    public AbandonedParts(Runtime runtime) {
        this.runtime = runtime;
    }

    /** Adds the directory of a file that the copy has created. The directory existed before the copy. */
    public void wrote(TreePath file) {
        if (directories.size() < MAX_DIRECTORIES) {
            directories.computeIfAbsent(file.directoryPath(), path -> file.directory());
        }
    }

    /** Adds a directory that contains a temporary file. */
    public void found(TreePath directory) {
        if (directories.size() < MAX_DIRECTORIES) {
            directories.putIfAbsent(directory.child("x").directoryPath(), directory);
        }
    }

    /** Removes the abandoned files. Files that cannot be removed remain. */
    public void remove() throws InterruptedException {
        for (TreePath directory : directories.values()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                removeFrom(directory);
            } catch (IOException e) {
                LOG.debug("{} is not looked through for what was left", directory.place(), e);
            }
        }
    }

    private void removeFrom(TreePath directory) throws IOException {
        Map<String, Instant> parts = directory.temporaries(MAX_ENTRIES);
        if (parts.isEmpty()) {
            return;
        }
        // a recent time if this copy has created a file in the directory, else it may be long ago
        Instant there = directory.changed();
        boolean mayBeMore = parts.values().stream().anyMatch(changed -> !isIdle(changed, there));
        Instant now = mayBeMore && parts.values().stream().anyMatch(changed -> isIdle(changed, runtime.now()))
                ? clock(directory)
                : there;
        for (Map.Entry<String, Instant> part : parts.entrySet()) {
            if (isIdle(part.getValue(), now)) {
                remove(directory.child(part.getKey()));
            }
        }
    }

    private static void remove(TreePath left) {
        try {
            left.remove();
            LOG.info("removed {}, which an earlier copy has left", left.place());
        } catch (IOException e) {
            LOG.debug("{} is not removed", left.place(), e);
        }
    }

    private static boolean isIdle(Instant changed, Instant now) {
        return !changed.plus(IDLE).isAfter(now);
    }

    /** The present time by the clock of the directory's server or host, which a new file there tells. */
    private Instant clock(TreePath directory) throws IOException {
        TreePath probe = directory.child(HiddenNames.passing(runtime.random()));
        probe.write(true).close();
        try {
            return probe.changed();
        } finally {
            probe.remove();
        }
    }
}
