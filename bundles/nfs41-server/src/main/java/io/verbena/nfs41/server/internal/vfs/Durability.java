package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings changes of the exported tree to stable storage before clients are told of them (exports(5): {@code sync}), or
 * leaves that to the operating system ({@code async}). Thread safe.
 *
 * <p>Requests that wait for the same object at a time share one fsync, which begins after all of their changes are over. A
 * failed fsync fails all that wait for the object, those of the next fsync too: the kernel reports a failure once, and the
 * next fsync may succeed without what the failed one has lost.
 */
public final class Durability {
    private static final Logger LOG = LoggerFactory.getLogger(Durability.class);

    private final Storage storage;
    private final boolean sync;
    private final WriteVerifier verifier;
    private final Executor workers;
    private final Map<Inode, Group> groups = new HashMap<>();

    /** Where objects are brought to stable storage. */
    @FunctionalInterface
    public interface Storage {
        /**
         * Brings an object's content and attributes to stable storage. Blocks.
         *
         * @throws NfsError where that could not be begun: the kernel has lost nothing
         * @throws IOException where it has failed: what was written may be lost
         */
        void force(Inode inode) throws IOException;
    }

    /** Those that wait for one object; guarded by this class's lock. */
    private static final class Group {
        /** The fsync under way, which those who come now are too late for. Completed by the thread of that fsync. */
        private CompletableFuture<Void> running;

        /** The fsync after that; null where nobody waits for it. */
        private CompletableFuture<Void> next;
    }

    /**
     * @param sync whether changes are on stable storage before they are answered
     * @param verifier changes with each fsync that fails
     * @param workers does what blocks
     */
    public Durability(Storage storage, boolean sync, WriteVerifier verifier, Executor workers) {
        this.storage = storage;
        this.sync = sync;
        this.verifier = verifier;
        this.workers = workers;
    }

    /** Whether changes are on stable storage before they are answered. */
    public boolean isSync() {
        return sync;
    }

    /**
     * Brings objects, which have been changed, to stable storage, one after the other. Does not block.
     *
     * @return done when they are there, on a worker; fails with an IOException where one of them could not be brought there.
     *     Done already where changes need not be on stable storage
     */
    public CompletableFuture<Void> persist(Inode... changed) {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        if (sync) {
            for (Inode each : new LinkedHashSet<>(List.of(changed))) {
                all = all.isDone() && !all.isCompletedExceptionally() ? one(each) : all.thenCompose(done -> one(each));
            }
        }
        return all;
    }

    private CompletableFuture<Void> one(Inode inode) {
        CompletableFuture<Void> joined;
        synchronized (groups) {
            Group group = groups.computeIfAbsent(inode, key -> new Group());
            if (group.next != null) {
                return group.next;
            }
            joined = new CompletableFuture<>();
            group.next = joined;
            if (group.running != null) {
                return joined; // the thread of the fsync under way sees to it
            }
            group.running = joined; // as good as under way: nobody else starts one
        }
        begin(inode);
        return joined;
    }

    private void begin(Inode inode) {
        try {
            workers.execute(() -> flush(inode));
        } catch (RejectedExecutionException e) {
            flush(inode); // the export is being closed; what it has promised holds
        }
    }

    private void flush(Inode inode) {
        CompletableFuture<Void> batch;
        synchronized (groups) {
            Group group = groups.get(inode);
            batch = group.next;
            group.running = batch;
            group.next = null; // who comes from now on may be too late for this fsync
        }
        Throwable failure = force(inode);
        List<CompletableFuture<Void>> done = new ArrayList<>(2);
        done.add(batch);
        boolean goesOn;
        synchronized (groups) {
            Group group = groups.get(inode);
            if (failure != null && group.next != null) {
                done.add(group.next);
                group.next = null;
            }
            goesOn = group.next != null;
            if (!goesOn) {
                groups.remove(inode);
            }
        }
        if (goesOn) {
            begin(inode);
        }
        for (CompletableFuture<Void> each : done) {
            if (failure == null) {
                each.complete(null);
            } else {
                each.completeExceptionally(failure);
            }
        }
    }

    /** Returns the failure, or null. */
    private Throwable force(Inode inode) {
        try {
            storage.force(inode);
            return null;
        } catch (NfsError e) {
            return e; // nothing is lost that clients could send again
        } catch (IOException | RuntimeException | Error e) {
            LOG.warn("A change of the export cannot be brought to stable storage; clients are told to send again", e);
            verifier.changed();
            return e;
        }
    }
}
