package io.verbena.cli.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listing of a directory that one thread reads while other threads visit the entries read so far. */
public final class DirectoryReading {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryReading.class);

    /** The largest number of entries to keep, however many a server lists. */
    private static final int MAX_ENTRIES = 500_000;

    private enum State {
        READING,
        WHOLE,
        /** The reading ended before the listing was complete. */
        CUT_OFF,
        FAILED
    }

    @GuardedBy("this")
    private final List<Entry> entries = new ArrayList<>();

    @GuardedBy("this")
    private State state = State.READING;

    /** The part of an entry that is kept. */
    public record Entry(String name, boolean isDirectory) {}

    /** Reads the whole directory, or until the thread is interrupted. */
    void read(Mount mount, String path) {
        State end = State.FAILED;
        try {
            end = readAll(mount, path);
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("{} of mount {} is not read", path, mount.name(), e);
        } finally {
            synchronized (this) {
                state = end;
                notifyAll();
            }
        }
    }

    private State readAll(Mount mount, String path) throws IOException {
        for (DirectoryEntry entry : mount.entries(path)) {
            synchronized (this) {
                if (Thread.interrupted() || entries.size() == MAX_ENTRIES) {
                    return State.CUT_OFF;
                }
                entries.add(new Entry(entry.name(), entry.attributes().isDirectory()));
                notifyAll();
            }
        }
        return State.WHOLE;
    }

    synchronized boolean hasEnded() {
        return state != State.READING;
    }

    synchronized boolean hasFailed() {
        return state == State.FAILED;
    }

    /**
     * Passes the entries to a visitor, including entries that are read meanwhile.
     *
     * @param time the longest wait for further entries
     * @param visitor receives an entry, and returns whether it wants more
     * @return whether the visitor received all entries
     */
    boolean visit(Duration time, Predicate<Entry> visitor) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        for (int next = 0; ; next++) {
            Entry entry;
            synchronized (this) {
                if (!awaitEntry(next, deadline)) {
                    return state == State.WHOLE;
                }
                entry = entries.get(next);
            }
            if (!visitor.test(entry)) {
                return false;
            }
        }
    }

    /** Waits for the entry with the given index, and returns whether it arrived in time. */
    @GuardedBy("this")
    private boolean awaitEntry(int index, long deadline) throws InterruptedException {
        while (entries.size() == index && state == State.READING) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return index < entries.size();
    }
}
