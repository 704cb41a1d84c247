package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The writes of one file, in their order. A write waits, is under way or tells its outcome: it is under way once at
 * most, and its memory is free at its outcome. If the mount is replaced, the writes under way end first; then the file
 * is opened on the next mount, and the writes that the former mount has not done are done there, before later ones. No
 * change of state allocates, so that a lack of memory stops no write. Thread safe.
 */
final class NodeWrites {
    private static final int MAX_ATTEMPTS = 10;
    private static final long NOWHERE = -1;

    private enum State {
        /** Writes are sent as they come. */
        SENDING,
        /** A write has met a replaced mount; the others under way end. */
        ENDING,
        /** A task opens the file on the next mount. */
        REOPENING
    }

    private enum Progress {
        WAITING,
        UNDER_WAY,
        TELLING
    }

    private final Executor executor;
    private final NodeLocks locks;
    private final Runnable reopening = this::reopen;

    /** Those whose outcome is not told yet, in their order. */
    @GuardedBy("this")
    private final Set<Write> all = new LinkedHashSet<>();

    @GuardedBy("this")
    private int waiting;

    @GuardedBy("this")
    private int underWay;

    @GuardedBy("this")
    private State state = State.SENDING;

    /** @param executor of tasks that may block */
    NodeWrites(Executor executor, NodeLocks locks) {
        this.executor = executor;
        this.locks = locks;
    }

    /** One write. Its progress is guarded by the {@link NodeWrites}. */
    private static final class Write {
        private final OpenFile by;
        private final ByteBuffer data;
        private final CompletableFuture<Long> done = new CompletableFuture<>();
        /** Completes when the outcome is told. */
        private final CompletableFuture<Void> told = new CompletableFuture<>();

        /** {@link #NOWHERE} of an append, until it has its place. */
        private volatile long offset;

        private Progress progress = Progress.WAITING;
        private int attempts;
        private Mount on;

        Write(OpenFile by, ByteBuffer data, long offset) {
            this.by = by;
            this.data = data;
            this.offset = offset;
        }

        /** An append that is done again goes to the same place: an earlier attempt may have been done in part. */
        CompletableFuture<Long> begin(RemoteFile file) {
            ByteBuffer source = data.duplicate();
            long at = offset;
            return at == NOWHERE
                    ? file.appendAsync(source, placed -> offset = placed)
                    : file.writeAsync(source, at).thenApply(written -> at);
        }
    }

    /**
     * Writes. Does not block. Where it throws, the write is not begun.
     *
     * @param data from position to limit; its memory is free when the write is done
     * @param offset negative to append
     * @return where the octets were written, when the server has answered
     */
    CompletableFuture<Long> add(OpenFile by, ByteBuffer data, long offset) {
        Write write = new Write(by, data, Math.max(NOWHERE, offset));
        synchronized (this) {
            all.add(write);
            by.wrote();
            waiting++;
            if (state == State.SENDING) {
                send(write);
            }
        }
        return write.done;
    }

    @GuardedBy("this")
    private void send(Write write) {
        waiting--;
        underWay++;
        write.progress = Progress.UNDER_WAY;
        write.on = write.by.mount();
        write.attempts++;
        try {
            Futures.whenDone(
                    begin(write), thrown -> ended(write, null, thrown), (at, thrown) -> ended(write, at, thrown));
        } catch (Throwable e) { // there was no memory for a future that has failed
            ended(write, null, e);
        }
    }

    private CompletableFuture<Long> begin(Write write) {
        try {
            RemoteFile present = write.by.now(); // first: one of a later mount is not used under the lock of this one
            if (write.by.hasLostLocks() || locks.isLost()) { // who has the lock now relies on it
                return CompletableFuture.failedFuture(new IOException("a lock of this file was lost"));
            }
            return write.begin(present);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** An attempt is over. Without effect the second time. */
    private void ended(Write write, Long at, Throwable thrown) {
        boolean replaced = isReplacement(thrown);
        boolean again;
        boolean reopens;
        synchronized (this) {
            if (write.progress != Progress.UNDER_WAY) {
                return;
            }
            underWay--;
            again = replaced && write.attempts < MAX_ATTEMPTS;
            if (again) {
                write.progress = Progress.WAITING;
                waiting++;
                state = State.ENDING;
            } else {
                write.progress = Progress.TELLING;
            }
            reopens = state == State.ENDING && underWay == 0;
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
                beginReopening();
            }
        }
    }

    private static boolean isReplacement(Throwable thrown) {
        try {
            return thrown != null && PresentMount.replacement(thrown).isPresent();
        } catch (Throwable e) {
            return false;
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
                all.remove(write);
            }
            write.told.complete(null);
        }
    }

    private void beginReopening() {
        try {
            executor.execute(reopening);
        } catch (Throwable e) { // the mount has ended, or there is no memory for a thread
            try {
                fail(null, e);
            } finally {
                goOn();
            }
        }
    }

    /** Opens the file on the next mount, and does the writes that wait. */
    private void reopen() {
        try {
            writers().forEach(this::reopen);
        } catch (Throwable e) {
            fail(null, e);
        } finally {
            goOn();
        }
    }

    private synchronized Set<OpenFile> writers() {
        Set<OpenFile> writers = new LinkedHashSet<>();
        all.forEach(write -> writers.add(write.by));
        return writers;
    }

    private void reopen(OpenFile writer) {
        try {
            boolean unused = writer.call(file -> file.attributes() != null);
        } catch (Throwable e) {
            fail(writer, e);
        }
    }

    /** Sends what waits. */
    private void goOn() {
        try {
            synchronized (this) {
                state = State.SENDING;
                for (Write write : all.toArray(Write[]::new)) {
                    if (state == State.SENDING && write.progress == Progress.WAITING) {
                        send(write);
                    }
                }
            }
        } catch (Throwable e) { // no memory: the writes that wait would wait for ever
            fail(null, e);
        }
    }

    /** Fails the writes that wait, of one writer or, where that is null, of all. */
    private void fail(OpenFile writer, Throwable thrown) {
        for (Write write = takeWaiting(writer); write != null; write = takeWaiting(writer)) {
            tell(write, null, thrown);
        }
    }

    private synchronized Write takeWaiting(OpenFile writer) {
        for (Write write : all) {
            if (write.progress == Progress.WAITING && (writer == null || write.by == writer)) {
                write.progress = Progress.TELLING;
                waiting--;
                return write;
            }
        }
        return null;
    }

    /** Completes once the outcome of all writes so far is told. Never fails. */
    CompletableFuture<Void> answered() {
        CompletableFuture<?>[] told;
        synchronized (this) {
            told = all.stream().map(write -> write.told).toArray(CompletableFuture[]::new);
        }
        return CompletableFuture.allOf(told);
    }

    synchronized boolean isEmpty() {
        return all.isEmpty();
    }

    /** Whether there are writes without an outcome that a mount does not know of. */
    synchronized boolean isUnsettled(Mount mount) {
        return waiting > 0 || all.stream().anyMatch(write -> write.progress == Progress.UNDER_WAY && write.on != mount);
    }
}
