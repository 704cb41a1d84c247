package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.nfs.Mount;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all opens of one file share: its writes, and its locks. Thread safe. */
public final class NodeFile {
    private static final Logger LOG = LoggerFactory.getLogger(NodeFile.class);

    private final NodeWrites writes;
    private final NodeLocks locks;

    @GuardedBy("this")
    private final Set<OpenFile> opens = new LinkedHashSet<>();

    NodeFile(Executor executor, NodeLocks locks) {
        this.writes = new NodeWrites(executor, locks);
        this.locks = locks;
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

    /** What is done by an open. */
    public interface Use<T> {
        T by(OpenFile open) throws IOException, InterruptedException;
    }

    /**
     * Does something that relies on no lock by one of the opens, and by the next one where that is of no use any more.
     *
     * @param isFit by which open it may be done
     * @param leave ends the use of an open
     * @return empty where there is no such open
     */
    public <T> Optional<T> byAny(Predicate<OpenFile> isFit, Consumer<OpenFile> leave, Use<T> use)
            throws IOException, InterruptedException {
        for (OpenFile open : opens()) {
            if (isFit.test(open) && open.use()) {
                try {
                    return Optional.of(use.by(open));
                } catch (IOException e) {
                    if (!OpenFile.isUseless(e)) {
                        throw e;
                    }
                    LOG.debug("an open of a file is of no use any more", e);
                } finally {
                    leave.accept(open);
                }
            }
        }
        return Optional.empty();
    }

    private synchronized List<OpenFile> opens() {
        return List.copyOf(opens);
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
        CompletableFuture<Long> done;
        try {
            done = writes.add(by, data, offset);
        } catch (Throwable e) {
            if (memory != null) {
                memory.close();
            }
            throw e;
        }
        return memory == null ? done : done.whenComplete((at, thrown) -> memory.close());
    }

    /** Completes once the outcome of all writes so far is told to those who wait for it. Never fails. */
    public CompletableFuture<Void> answered() {
        return writes.answered();
    }

    /** Whether the kernel may have pages of the file, for programs that have not opened it by O_DIRECT. */
    public synchronized boolean hasPages() {
        return opens.stream().anyMatch(each -> !each.isDirect());
    }

    /** Whether there are writes without an outcome. */
    public boolean hasWrites() {
        return !writes.isEmpty();
    }

    /**
     * Whether there are writes without an outcome that a mount does not know of, since another one was replaced. Who
     * reads by that mount waits for them first: see {@link #answered}.
     */
    public boolean isUnsettled(Mount mount) {
        return writes.isUnsettled(mount);
    }

    /**
     * Makes a call that sees all writes before it, also those that a replacement of the mount has delayed.
     *
     * @param runtime to wait by
     */
    public <T> T consistently(Runtime runtime, OpenFile by, OpenFile.Call<T> call)
            throws IOException, InterruptedException {
        while (true) {
            Mount before = by.mount(); // first: a mount that comes after the look at the writes is noticed
            if (!isUnsettled(before)) {
                T result = by.call(call);
                if (by.mount() == before) {
                    return result;
                }
            }
            awaitWrites(runtime);
            by.follow(); // else others could go on writing by a later mount for as long as they like
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

    /**
     * Brings to stable storage what was written so far by any open. Each open of the file knows of a failure then.
     *
     * @param runtime to wait by
     * @param leave ends the use of another open
     */
    public void commit(Runtime runtime, OpenFile by, Consumer<OpenFile> leave)
            throws IOException, InterruptedException {
        Map<OpenFile, Long> others = dirtyBeside(by);
        long until = by.written();
        awaitWrites(runtime);
        for (Map.Entry<OpenFile, Long> each : others.entrySet()) {
            OpenFile other = each.getKey();
            if (other.use()) { // else its close has done it
                try {
                    other.commit(each.getValue());
                } finally {
                    leave.accept(other);
                }
            }
        }
        by.commit(until);
    }

    /** The other opens with data that may not be on stable storage, and how many writes each has. */
    private synchronized Map<OpenFile, Long> dirtyBeside(OpenFile by) {
        Map<OpenFile, Long> dirty = new LinkedHashMap<>();
        for (OpenFile each : opens) {
            if (each != by && each.isDirty()) {
                dirty.put(each, each.written());
            }
        }
        return dirty;
    }

    /** Throws EIO where a program relies on a lock that is lost. */
    public void requireLocks(OpenFile by) throws IOException {
        if (by.hasLostLocks() || locks.isLost()) {
            throw new IOException("a lock of this file was lost");
        }
    }
}
