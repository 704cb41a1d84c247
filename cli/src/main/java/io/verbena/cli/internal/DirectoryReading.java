package io.verbena.cli.internal;

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

/** A directory that one thread reads, while others look at what there is by then. */
public final class DirectoryReading {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryReading.class);

    /** As many as are kept, whatever a server lists. */
    private static final int MAX_ENTRIES = 500_000;

    private enum State {
        READING,
        WHOLE,
        /** Ended before it was whole. */
        CUT_OFF,
        FAILED
    }

    // guarded by this
    private final List<Entry> entries = new ArrayList<>();
    private State state = State.READING;

    /** What is kept of each. */
    public record Entry(String name, boolean isDirectory) {}

    /** Reads it all, or until the thread is interrupted. */
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
     * Hands over entries, those to come too.
     *
     * @param time to wait for them at most
     * @param visitor takes one and tells whether it wants more
     * @return whether it was handed all there are
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

    /** Whether there is an entry of that index in time. */
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
