package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.memory.BufferLease;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * What all opens of one file share: its writes in their order, and its locks. If the mount is replaced, writes that it
 * has not done are done on the next one, in their order, before later ones. Thread safe.
 */
public final class NodeFile {
    private static final int MAX_ATTEMPTS = 10;

    private final Executor executor;
    private final NodeLocks locks;

    @GuardedBy("this")
    private final Set<OpenFile> opens = new LinkedHashSet<>();

    /** Writes without an outcome, in their order. */
    @GuardedBy("this")
    private final Deque<Write> writes = new ArrayDeque<>();

    /** Whether writes wait until the file is open on the next mount. */
    @GuardedBy("this")
    private boolean recovering;

    NodeFile(Executor executor, NodeLocks locks) {
        this.executor = executor;
        this.locks = locks;
    }

    /** One write. */
    private static final class Write {
        private final OpenFile by;
        private final ByteBuffer data;
        private final long offset;
        private final CompletableFuture<Long> done = new CompletableFuture<>();
        private int attempts;
        private boolean sent;
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

    public NodeLocks locks() {
        return locks;
    }

    synchronized void add(OpenFile open) {
        opens.add(open);
    }

    synchronized boolean remove(OpenFile open) {
        opens.remove(open);
        return opens.isEmpty();
    }

    /** One of the opens, or null. */
    public synchronized OpenFile any() {
        return opens.isEmpty() ? null : opens.iterator().next();
    }

    /** An open by which the file may be written, or null. */
    public synchronized OpenFile anyWritable() {
        return opens.stream().filter(OpenFile::isWritable).findFirst().orElse(null);
    }

    /**
     * Writes. Does not block.
     *
     * @param data from position to limit; the memory is closed when the write is done
     * @param memory of the data, or null
     * @param offset negative to append
     * @return where the octets were written, when the server has answered
     */
    public CompletableFuture<Long> write(OpenFile by, ByteBuffer data, BufferLease memory, long offset) {
        Write write = new Write(by, data, offset);
        by.wrote();
        CompletableFuture<Long> result = write.done;
        if (memory != null) {
            result = result.whenComplete((at, thrown) -> memory.close());
        }
        synchronized (this) {
            writes.add(write);
            if (!recovering) {
                send(write);
            }
        }
        return result;
    }

    @GuardedBy("this")
    private void send(Write write) {
        write.sent = true;
        write.on = write.by.mount();
        write.attempts++;
        CompletableFuture<Long> answered;
        try {
            answered = write.begin(write.by.now());
        } catch (Throwable e) {
            answered = CompletableFuture.failedFuture(e);
        }
        Futures.whenDone(answered, write.done::completeExceptionally, (at, thrown) -> ended(write, at, thrown));
    }

    private void ended(Write write, Long at, Throwable thrown) {
        boolean again;
        synchronized (this) {
            again = thrown != null && PresentMount.replacement(thrown).isPresent() && write.attempts < MAX_ATTEMPTS;
            write.sent = false;
            recovering |= again;
            if (!again) {
                writes.remove(write);
            }
            if (recovering && writes.stream().noneMatch(each -> each.sent)) {
                executor.execute(this::recover);
            }
        }
        if (!again) {
            if (thrown == null) {
                write.done.complete(at);
            } else {
                write.done.completeExceptionally(thrown);
            }
        }
    }

    /** Opens the file on the next mount, and does the writes that wait. */
    private void recover() {
        Set<OpenFile> writers = new LinkedHashSet<>();
        synchronized (this) {
            if (!recovering || writes.stream().anyMatch(each -> each.sent)) {
                return;
            }
            writes.forEach(write -> writers.add(write.by));
        }
        List<Write> failed = new ArrayList<>();
        for (OpenFile writer : writers) {
            try {
                boolean unused = writer.call(file -> file.attributes() != null);
            } catch (Throwable e) {
                fail(writer, e, failed);
            }
        }
        synchronized (this) {
            recovering = false;
            List.copyOf(writes).forEach(this::send);
        }
    }

    private void fail(OpenFile writer, Throwable thrown, List<Write> failed) {
        synchronized (this) {
            writes.stream().filter(write -> write.by == writer).forEach(failed::add);
            writes.removeAll(failed);
        }
        failed.forEach(write -> write.done.completeExceptionally(thrown));
        failed.clear();
    }

    /** Completes once all writes so far have an outcome. Never fails. */
    public CompletableFuture<Void> answered() {
        List<CompletableFuture<Long>> all = new ArrayList<>();
        synchronized (this) {
            writes.forEach(write -> all.add(write.done));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).handle((done, thrown) -> null);
    }

    /**
     * Whether writes are under way that the mount of an open does not know of, since the mount was replaced. Who reads
     * by that open waits for them first: see {@link #answered}.
     */
    public synchronized boolean isUnsettled(OpenFile by) {
        return recovering || writes.stream().anyMatch(write -> write.on != by.mount());
    }

    /**
     * Makes a call that sees all writes before it, also those that a replacement of the mount has delayed.
     *
     * @param runtime to wait by
     */
    public <T> T consistently(Runtime runtime, OpenFile by, OpenFile.Call<T> call)
            throws IOException, InterruptedException {
        while (true) {
            if (isUnsettled(by)) {
                awaitWrites(runtime);
            }
            Mount before = by.mount();
            T result = by.call(call);
            if (by.mount() == before) {
                return result;
            }
            awaitWrites(runtime);
        }
    }

    /** Waits until all writes so far have an outcome. */
    public void awaitWrites(Runtime runtime) throws InterruptedException {
        try {
            Void unused = runtime.await(answered(), Long.MAX_VALUE);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("it never fails", e);
        }
    }

    /** Throws EIO where a program relies on a lock that is lost. */
    public void requireLocks(OpenFile by) throws IOException {
        if (by.hasLostLocks() || locks.isLost()) {
            throw new IOException("a lock of this file was lost");
        }
    }
}
