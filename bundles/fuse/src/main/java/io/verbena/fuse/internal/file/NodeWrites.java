package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * The writes of one file, in their order. A write waits, is under way or tells its outcome, and never two of these: it
 * is under way once at most, and its memory is free at its outcome. If the mount is replaced, the writes under
 * way end first; then the file is opened on the next mount, and the writes that the former mount has not done are done
 * there, before later ones. Thread safe.
 */
final class NodeWrites {
    private static final int MAX_ATTEMPTS = 10;

    private enum State {
        /** Writes are sent as they come. */
        SENDING,
        /** A write has met a replaced mount; the others under way end. */
        ENDING,
        /** A task opens the file on the next mount. */
        REOPENING
    }

    private final Executor executor;

    @GuardedBy("this")
    private final TreeMap<Long, Write> waiting = new TreeMap<>();

    @GuardedBy("this")
    private final TreeMap<Long, Write> underWay = new TreeMap<>();

    /** Writes whose outcome is not yet told to all who wait for it. */
    @GuardedBy("this")
    private final Set<Write> telling = new HashSet<>();

    @GuardedBy("this")
    private State state = State.SENDING;

    @GuardedBy("this")
    private long lastNumber;

    /** @param executor of tasks that may block */
    NodeWrites(Executor executor) {
        this.executor = executor;
    }

    /** One write. */
    private static final class Write {
        private final OpenFile by;
        private final ByteBuffer data;
        private final long offset;
        private final CompletableFuture<Long> done = new CompletableFuture<>();
        /** Completes when the outcome is told. */
        private final CompletableFuture<Void> told = new CompletableFuture<>();

        private long number;
        private int attempts;
        private Mount on;

        Write(OpenFile by, ByteBuffer data, long offset) {
            this.by = by;
            this.data = data;
            this.offset = offset;
        }

        CompletableFuture<Long> begin(RemoteFile file) {
            ByteBuffer source = data.duplicate();
            return offset < 0
                    ? file.appendAsync(source, placed -> {})
                    : file.writeAsync(source, offset).thenApply(written -> offset);
        }
    }

    /**
     * Writes. Does not block.
     *
     * @param data from position to limit; its memory is free when the write is done
     * @param offset negative to append
     * @return where the octets were written, when the server has answered
     */
    CompletableFuture<Long> add(OpenFile by, ByteBuffer data, long offset) {
        Write write = new Write(by, data, offset);
        synchronized (this) {
            write.number = ++lastNumber;
            waiting.put(write.number, write);
            sendWaiting();
        }
        return write.done;
    }

    @GuardedBy("this")
    private void sendWaiting() {
        while (state == State.SENDING && !waiting.isEmpty()) {
            Write next = waiting.firstEntry().getValue();
            underWay.put(next.number, next);
            waiting.remove(next.number);
            send(next);
        }
    }

    private static CompletableFuture<Long> begin(Write write) {
        try {
            return write.begin(write.by.now());
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @GuardedBy("this")
    private void send(Write write) {
        write.on = write.by.mount();
        write.attempts++;
        Futures.whenDone(begin(write), thrown -> ended(write, null, thrown), (at, thrown) -> ended(write, at, thrown));
    }

    /** An attempt is over. Without effect the second time. */
    private void ended(Write write, Long at, Throwable thrown) {
        boolean again;
        boolean reopens;
        synchronized (this) {
            if (underWay.remove(write.number) == null) {
                return;
            }
            again = thrown != null && PresentMount.replacement(thrown).isPresent() && write.attempts < MAX_ATTEMPTS;
            if (again) {
                waiting.put(write.number, write);
                state = State.ENDING;
            } else {
                telling.add(write);
            }
            reopens = state == State.ENDING && underWay.isEmpty();
            if (reopens) {
                state = State.REOPENING;
            }
        }
        try {
            if (!again) {
                tell(write, at, thrown);
            }
        } finally {
            if (reopens) {
                begin(this::reopen);
            }
        }
    }

    /** Tells the outcome. Who waits for {@link #answered} goes on after those who wait for this write. */
    private void tell(Write write, Long at, Throwable thrown) {
        try {
            if (thrown == null) {
                write.done.complete(at);
            } else {
                write.done.completeExceptionally(thrown);
            }
        } finally {
            synchronized (this) {
                telling.remove(write);
            }
            write.told.complete(null);
        }
    }

    private void begin(Runnable task) {
        try {
            executor.execute(task);
        } catch (Throwable e) { // the mount has ended, or there is no memory for a thread
            goOn(e);
        }
    }

    /** Opens the file on the next mount, and does the writes that wait. */
    private void reopen() {
        Throwable failure = null;
        try {
            writers().forEach(this::reopen);
        } catch (Throwable e) {
            failure = e;
        } finally {
            goOn(failure);
        }
    }

    private synchronized Set<OpenFile> writers() {
        Set<OpenFile> writers = new LinkedHashSet<>();
        waiting.values().forEach(write -> writers.add(write.by));
        return writers;
    }

    private void reopen(OpenFile writer) {
        try {
            boolean unused = writer.call(file -> file.attributes() != null);
        } catch (Throwable e) {
            fail(writer, e);
        }
    }

    /** Sends again; first fails what waits where there is a failure. */
    private void goOn(Throwable failure) {
        try {
            if (failure != null) {
                fail(null, failure);
            }
        } finally {
            synchronized (this) {
                state = State.SENDING;
                sendWaiting();
            }
        }
    }

    /** Fails the writes that wait, of one writer or, where that is null, of all. */
    private void fail(OpenFile writer, Throwable thrown) {
        List<Write> failed = new ArrayList<>();
        synchronized (this) {
            waiting.values().stream()
                    .filter(write -> writer == null || write.by == writer)
                    .forEach(failed::add);
            failed.forEach(write -> waiting.remove(write.number));
            telling.addAll(failed);
        }
        failed.forEach(write -> tell(write, null, thrown));
    }

    /** Completes once the outcome of all writes so far is told. Never fails. */
    CompletableFuture<Void> answered() {
        CompletableFuture<?>[] all;
        synchronized (this) {
            all = Stream.of(underWay.values(), waiting.values(), telling)
                    .flatMap(Collection::stream)
                    .map(write -> write.told)
                    .toArray(CompletableFuture[]::new);
        }
        return CompletableFuture.allOf(all);
    }

    /** Whether there are writes without an outcome that the mount of an open does not know of. */
    synchronized boolean isUnsettled(OpenFile by) {
        return !waiting.isEmpty() || underWay.values().stream().anyMatch(write -> write.on != by.mount());
    }
}
