package io.verbena.nfs41.server.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings changes of the exported tree to stable storage before they are answered ({@code sync} in exports(5)), or
 * leaves that to the operating system ({@code async}). Thread safe.
 *
 * <p>Requests that wait for the same object share one fsync, which begins after all of their changes. A failed fsync
 * fails all requests that wait for the object, also those of the next fsync: the kernel reports a failure once, and the
 * next fsync may succeed although data of the failed one is lost.
 */
public final class Durability {
    private static final Logger LOG = LoggerFactory.getLogger(Durability.class);

    private final Storage storage;
    private final boolean sync;
    private final WriteVerifier verifier;
    private final Executor workers;

    @GuardedBy("itself")
    private final Map<Inode, Group> groups = new HashMap<>();

    /** The stable storage of objects. */
    @FunctionalInterface
    public interface Storage {
        /**
         * Brings the content and the attributes of an object to stable storage. Blocks.
         *
         * @throws NfsError if the fsync could not begin: the kernel has lost nothing
         * @throws IOException if the fsync has failed: written data may be lost
         */
        void force(Inode inode) throws IOException;
    }

    /** The requests that wait for one object. Guarded as {@link #groups}, to which it has no reference. */
    private static final class Group {
        /** The fsync under way, which new requests are too late for. Completed by the thread of that fsync. */
        private CompletableFuture<Void> running;

        /** The next fsync; null if no request waits for it. */
        private CompletableFuture<Void> next;
    }

    /**
     * @param sync whether changes are on stable storage before they are answered
     * @param verifier changes with each failed fsync
     * @param workers execute the steps that block
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
     * Brings changed objects to stable storage, one after the other. Does not block.
     *
     * @return completed on a worker when all are there, or at once if changes need not be on stable storage; fails with
     *     an IOException if one of them could not be brought there
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

    /**
     * Brings changed objects to stable storage, in no order. Does not block.
     *
     * @param changed left to the operating system if changes need not be on stable storage
     * @param written brought there in any case
     * @return as {@link #persist(Inode...)}
     */
    public CompletableFuture<Void> persist(Collection<Inode> changed, Collection<Inode> written) {
        Set<Inode> all = new LinkedHashSet<>(written);
        if (sync) {
            all.addAll(changed);
        }
        return CompletableFuture.allOf(all.stream().map(this::one).toArray(CompletableFuture[]::new));
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
                return joined; // the thread of the fsync under way executes it
            }
            group.running = joined; // it counts as under way: no other thread begins one
        }
        begin(inode);
        return joined;
    }

    private void begin(Inode inode) {
        try {
            workers.execute(() -> flush(inode));
        } catch (Throwable e) {
            flush(inode); // the export is being closed, or there is no thread: this thread executes it
        }
    }

    private void flush(Inode inode) {
        CompletableFuture<Void> batch;
        synchronized (groups) {
            Group group = groups.get(inode);
            batch = group.next;
            group.running = batch;
            group.next = null; // requests that come from now on may be too late for this fsync
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
            return e; // no data is lost that clients would have to send again
        } catch (Throwable e) {
            LOG.warn("A change cannot be brought to stable storage; clients send uncommitted data again", e);
            verifier.changed();
            return e;
        }
    }
}
