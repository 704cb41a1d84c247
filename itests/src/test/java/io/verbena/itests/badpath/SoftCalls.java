package io.verbena.itests.badpath;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes the calls of soft mounts. A call may fail because of the path, and not because of what the caller alone has
 * done to the files. Any thread may call any method.
 */
final class SoftCalls {
    /** What no fault of a path excuses. */
    private static final List<Class<? extends IOException>> WRONG = List.of(
            AccessDeniedException.class,
            DirectoryNotEmptyException.class,
            FileAlreadyExistsException.class,
            NoSuchFileException.class,
            NotDirectoryException.class,
            NotLinkException.class);

    /** Before the next call after one that has failed, since many fail at once while a server is silent. */
    private static final int PAUSE_MILLIS = 20;

    private final BadPath path;
    private final Duration most;
    // guarded by this
    private final Map<String, Integer> failures = new TreeMap<>();
    private long longestNanos;
    private long done;

    /**
     * @param most how long a call may take, with what a loaded host adds
     */
    SoftCalls(BadPath path, Duration most) {
        this.path = path;
        this.most = most;
    }

    /** A call. */
    @FunctionalInterface
    interface Call {
        void run() throws IOException;
    }

    /** Makes a call. Returns whether it has not failed. */
    boolean make(String what, Call call) {
        long start = System.nanoTime();
        IOException failure = null;
        try {
            call.run();
        } catch (IOException e) {
            failure = e;
        }
        note(what, System.nanoTime() - start, failure);
        if (failure != null) {
            boolean unused = path.pause(PAUSE_MILLIS);
        }
        return failure == null;
    }

    private synchronized void note(String what, long nanos, IOException failure) {
        longestNanos = Math.max(longestNanos, nanos);
        if (nanos > most.toNanos()) {
            throw new AssertionError(what + " took " + nanos / 1_000_000 + " ms: " + failure, failure);
        }
        if (failure == null) {
            done++;
            return;
        }
        if (WRONG.stream().anyMatch(type -> type.isInstance(failure))) {
            throw new AssertionError(what + ": " + failure, failure);
        }
        failures.merge(failure.getClass().getSimpleName(), 1, Integer::sum);
    }

    @Override
    public synchronized String toString() {
        return done + " calls done, failed " + failures + ", the longest took " + longestNanos / 1_000_000 + " ms";
    }
}
