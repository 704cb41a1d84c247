package io.verbena.nfs41.server.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.util.FailureLog;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings changes of the exported tree to stable storage before they are answered ({@code sync} in exports(5)), or
 * leaves that to the operating system ({@code async}). Thread safe.
 *
 * <p>Requests that wait for the same object share one fsync, which begins after all of their changes. A failed fsync
 * fails all requests that wait for the object, also those of the next fsync: the kernel reports a failure once, and the
 * next fsync may succeed although data of the failed one is lost. For the same reason a change is not taken for stable
 * where data of its objects may have been lost since it began, whoever was told of that: see {@link #losses}.
 *
 * <p>At most {@link #FLUSHES} fsyncs are under way. When {@link #TOGETHER} objects and more have come together behind
 * these, one syncfs(2) takes the place of their fsyncs, as long as that takes less time ({@link ForceCosts}).
 */
public final class Durability {
    private static final Logger LOG = LoggerFactory.getLogger(Durability.class);

    /** The most fsyncs at a time. Further ones would share no more writes of a journal, and come together instead. */
    static final int FLUSHES = 8;

    /** The least number of objects that are brought to stable storage together. */
    static final int TOGETHER = 8;

    private final Storage storage;
    private final boolean sync;
    private final WriteVerifier verifier;
    private final Executor workers;
    private final Runtime runtime;

    @GuardedBy("itself")
    private final Map<Inode, Group> groups = new HashMap<>();

    /** The objects whose next fsync is to begin, in their order. */
    @GuardedBy("groups")
    private final DueGroups due = new DueGroups();

    /** How many tasks take objects from {@link #due}. */
    @GuardedBy("groups")
    private int flushes;

    /** Whether one of these tasks brings many objects to stable storage; all others leave what is due to that one. */
    @GuardedBy("groups")
    private boolean isTogether;

    @GuardedBy("groups")
    private final ForceCosts costs = new ForceCosts();

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

        /**
         * Brings many objects to stable storage at once, in no order. Blocks, for long where other programs have
         * written much.
         *
         * @return false if the host has no call for that which reports each loss of data; nothing was tried then
         * @throws IOException as {@link #force}, for any of the objects
         */
        default boolean forceTogether(Collection<Inode> inodes) throws IOException {
            return false;
        }
    }

    /** The requests that wait for one object. Guarded as {@link #groups}, to which it has no reference. */
    private static final class Group {
        private final Inode inode;
        /** The group that is due behind this one; null if this is the last, or is not due. */
        private Group later;

        /** The fsync under way, which new requests are too late for. Completed by the thread of that fsync. */
        private CompletableFuture<Void> running;

        /** The next fsync; null if no request waits for it. */
        private CompletableFuture<Void> next;

        Group(Inode inode) {
            this.inode = inode;
        }
    }

    /** A queue of groups, which needs no memory for one more. Guarded as {@link #groups}. */
    private static final class DueGroups {
        private Group first;
        private Group last;
        private int size;

        void add(Group group) {
            if (first == null) {
                first = group;
            } else {
                last.later = group;
            }
            last = group;
            size++;
        }

        Group remove() {
            Group group = first;
            first = group.later;
            group.later = null;
            size--;
            return group;
        }

        boolean isEmpty() {
            return first == null;
        }

        int size() {
            return size;
        }

        /** Returns the first ones, which stay in the queue. */
        List<Inode> first(int count) {
            List<Inode> inodes = new ArrayList<>(count);
            for (Group group = first; inodes.size() < count; group = group.later) {
                inodes.add(group.inode);
            }
            return inodes;
        }
    }

    /**
     * @param sync whether changes are on stable storage before they are answered
     * @param verifier changes with each failed fsync
     * @param workers execute the steps that block
     */
    public Durability(Storage storage, boolean sync, WriteVerifier verifier, Executor workers, Runtime runtime) {
        this.storage = storage;
        this.sync = sync;
        this.verifier = verifier;
        this.workers = workers;
        this.runtime = runtime;
    }

    /** Whether changes are on stable storage before they are answered. */
    public boolean isSync() {
        return sync;
    }

    /** Another value after each loss of written data. */
    public long losses() {
        return verifier.value();
    }

    /**
     * Brings changed objects to stable storage, one after the other. Does not block.
     *
     * @param lossesBefore {@link #losses} before the first of the changes
     * @return completed on a worker when all are there, or at once if changes need not be on stable storage; fails with
     *     an IOException if one of them could not be brought there, with a {@link DataLostException} if somebody else
     *     was told of a loss that may be theirs
     */
    public CompletableFuture<Void> persist(long lossesBefore, Inode... changed) {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        if (sync) {
            for (Inode each : new LinkedHashSet<>(List.of(changed))) {
                all = all.isDone() && !all.isCompletedExceptionally() ? one(each) : all.thenCompose(done -> one(each));
            }
            all = unlessLost(all, lossesBefore, List.of(changed));
        }
        return all;
    }

    /**
     * Brings changed objects to stable storage, in no order. Does not block.
     *
     * @param changed left to the operating system if changes need not be on stable storage
     * @param written brought there in any case
     * @return as {@link #persist(long, Inode...)}
     */
    public CompletableFuture<Void> persist(long lossesBefore, Collection<Inode> changed, Collection<Inode> written) {
        Set<Inode> all = new LinkedHashSet<>(written);
        if (sync) {
            all.addAll(changed);
        }
        if (all.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return unlessLost(
                CompletableFuture.allOf(all.stream().map(this::one).toArray(CompletableFuture[]::new)),
                lossesBefore,
                all);
    }

    /**
     * The kernel tells each loss once: a COMMIT of the same file, or a syncfs(2) for other objects, may have been told
     * of the loss of these changes.
     */
    private CompletableFuture<Void> unlessLost(
            CompletableFuture<Void> forced, long lossesBefore, Collection<Inode> objects) {
        return forced.thenAccept(done -> {
            if (verifier.value() != lossesBefore
                    && objects.stream().anyMatch(each -> verifier.isLostSince(lossesBefore, each))) {
                throw new CompletionException(new DataLostException());
            }
        });
    }

    private CompletableFuture<Void> one(Inode inode) {
        CompletableFuture<Void> joined;
        synchronized (groups) {
            Group group = groups.computeIfAbsent(inode, Group::new);
            if (group.next != null) {
                return group.next;
            }
            joined = new CompletableFuture<>();
            group.next = joined;
            if (group.running != null) {
                return joined; // due when the fsync under way is over
            }
            group.running = joined; // it counts as under way: no other task begins one
            due.add(group);
            if (flushes == FLUSHES || isTogether) {
                return joined; // a task under way takes it
            }
            flushes++;
        }
        if (!begin()) {
            flush();
        }
        return joined;
    }

    /** Returns false where the export is being closed, or there is no thread: the calling thread executes the task. */
    private boolean begin() {
        try {
            workers.execute(this::flush);
            return true;
        } catch (Throwable e) {
            return false;
        }
    }

    /** A task, and those behind it that no worker takes: one after the other, as a stack has no room for all. */
    private void flush() {
        int tasks = 1;
        while (tasks > 0) {
            tasks += flushNext() - 1;
        }
    }

    /**
     * Brings an object, or many together, to stable storage.
     *
     * @return how many further tasks the calling thread has to execute
     */
    private int flushNext() {
        Batch batch;
        try {
            batch = take();
        } catch (Throwable e) { // there is no memory
            giveUp(logged(e));
            return 0;
        }
        if (batch == null) {
            return 0;
        }
        Throwable failure;
        long nanos = 0;
        try {
            long start = runtime.nanoTime();
            failure = batch.isTogether ? forceTogether(batch.objects) : force(batch.objects.get(0));
            nanos = runtime.nanoTime() - start;
        } catch (Throwable e) {
            failure = failed(e);
        }
        return end(batch, failure, nanos);
    }

    /** Ends a task that could not begin. What is due is left to the other tasks; without one, it fails. */
    private void giveUp(Throwable failure) {
        synchronized (groups) {
            flushes--;
        }
        for (CompletableFuture<Void> next = left(); next != null; next = left()) {
            complete(next, failure);
        }
    }

    /** Removes an object that is due. Returns null if there is none, or a task takes it. */
    private CompletableFuture<Void> left() {
        synchronized (groups) {
            return flushes > 0 || due.isEmpty() ? null : groups.remove(due.remove().inode).next;
        }
    }

    /** Returns what the calling task brings to stable storage; null if other tasks have taken all. */
    private Batch take() {
        synchronized (groups) {
            if (due.isEmpty() || isTogether) {
                flushes--;
                return null;
            }
            boolean together = isEnoughTogether();
            List<Inode> objects = due.first(together ? due.size() : 1);
            // with room for those who come meanwhile: from here on, nothing is allocated until it is over
            List<CompletableFuture<Void>> waiting = new ArrayList<>(2 * objects.size());
            Batch batch = new Batch(objects, waiting, together, flushes);
            isTogether = together;
            for (int i = 0; i < objects.size(); i++) {
                Group group = due.remove();
                waiting.add(group.next);
                group.running = group.next;
                group.next = null; // requests that come from now on may be too late for this fsync
            }
            return batch;
        }
    }

    @GuardedBy("groups")
    private boolean isEnoughTogether() {
        return due.size() >= TOGETHER && costs.isTogetherWorthwhile();
    }

    /** Returns how many further tasks no worker takes. */
    private int end(Batch batch, Throwable failure, long nanos) {
        List<CompletableFuture<Void>> done = batch.waiting;
        int further;
        synchronized (groups) {
            for (Inode inode : batch.objects) {
                Group group = groups.get(inode);
                if (failure != null && group.next != null) {
                    done.add(group.next);
                    group.next = null;
                }
                if (group.next == null) {
                    groups.remove(inode);
                } else {
                    group.running = group.next;
                    due.add(group);
                }
            }
            if (batch.isTogether) {
                isTogether = false;
                costs.together(nanos, batch.objects.size());
            } else {
                costs.alone(nanos, batch.beside);
            }
            flushes--;
            further = isTogether ? 0 : Math.min(isEnoughTogether() ? 1 : due.size(), FLUSHES - flushes);
            flushes += further;
        }
        int begun = 0;
        while (begun < further && begin()) {
            begun++;
        }
        for (int i = 0; i < done.size(); i++) {
            complete(done.get(i), failure);
        }
        return further - begun;
    }

    private static void complete(CompletableFuture<Void> done, Throwable failure) {
        try {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        } catch (Throwable e) { // there is no memory for what continues it: the others are completed all the same
            Throwable unused = logged(e);
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
            verifier.lost(inode);
            return logged(e);
        }
    }

    /** Returns the failure, or null. Objects that could not be forced together are forced one after the other. */
    private Throwable forceTogether(List<Inode> inodes) {
        try {
            if (storage.forceTogether(inodes)) {
                return null;
            }
        } catch (Throwable e) {
            return failed(e);
        }
        synchronized (groups) {
            costs.cannotTogether();
        }
        Throwable failure = null;
        for (Inode inode : inodes) {
            Throwable next = force(inode);
            failure = failure == null ? next : failure;
        }
        return failure;
    }

    private Throwable failed(Throwable failure) {
        verifier.lost();
        return logged(failure);
    }

    private static Throwable logged(Throwable failure) {
        FailureLog.warn(
                LOG, "A change cannot be brought to stable storage; clients send uncommitted data again", failure);
        return failure;
    }

    /** What a task brings to stable storage at once, who waits for that, and how many tasks there were. */
    private record Batch(List<Inode> objects, List<CompletableFuture<Void>> waiting, boolean isTogether, int beside) {}
}
