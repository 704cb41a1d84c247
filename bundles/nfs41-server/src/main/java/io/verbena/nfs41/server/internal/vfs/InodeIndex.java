package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.dirfd.FileStatus;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.HeapShare;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.runtime.Runtime;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The objects for which handles were issued, by inode number. The index is a cache: a missing object is found by a walk
 * through the tree, which adds all objects that it passes. One walk runs at a time, and its length is bounded. Nobody
 * waits for it: who asks meanwhile comes again, and the next walk looks for all that was asked for. Thread safe.
 */
final class InodeIndex {
    private static final int MAX_INODES = 1 << 20;
    private static final int MAX_WALKED = 4 << 20;
    private static final int MAX_PENDING = 1 << 18;
    private static final int MAX_MISSING = 4096;
    private static final int MAX_GONE = 65_536;
    private static final long MISSING_NANOS = Duration.ofSeconds(5).toNanos();

    private final Inode root;
    private final long device;
    private final InodeGenerations generations;
    private final HeapShare share;
    private final Runtime runtime;
    private final HeapShare.Part part;
    private final Map<Long, Inode> inodes = new ConcurrentHashMap<>();
    private final Map<Long, Long> missing = new ConcurrentHashMap<>();
    /** The objects that were asked for during a walk; at most about {@link #MAX_MISSING}. */
    private final Set<Long> asked = ConcurrentHashMap.newKeySet();

    /** The generations of objects that clients have removed, by number; some of the newest. */
    private final Map<Long, Long> gone = new ConcurrentHashMap<>();

    private final AtomicInteger walks = new AtomicInteger();
    private final AtomicInteger evictions = new AtomicInteger();
    private volatile boolean closed;

    /** Held by the thread that walks. */
    private final Lock walking = new ReentrantLock();

    @GuardedBy("walking")
    private int wholeWalk;

    @GuardedBy("walking")
    private int wholeWalkEvictions;

    @GuardedBy("walking")
    private long wholeWalkNanos;

    /** @param share the heap that the index may take */
    InodeIndex(Inode root, long device, InodeGenerations generations, HeapShare share, Runtime runtime) {
        this.runtime = runtime;
        this.share = share;
        this.part = share.part();
        this.root = root;
        this.device = device;
        this.generations = generations;
        inodes.put(root.number(), root);
    }

    Inode root() {
        return root;
    }

    /** The object of a number; null if no walk or look-up has seen it. */
    Inode known(long number) {
        return inodes.get(number);
    }

    /** Whether a status is that of an object. */
    boolean isSame(Inode inode, FileStatus status) {
        return status.ino() == inode.number()
                && status.device() == device
                && generations.of(status) == inode.generation();
    }

    /** Records an object that a look-up has found. An earlier object of the same number is dropped. */
    Inode seen(UnixAttributes attributes, Inode parent, String name) {
        long generation = generations.of(attributes);
        Inode inode = inodes.get(attributes.ino());
        if (inode == null || inode.generation() != generation) {
            makeRoom();
            inode = inodes.compute(
                    attributes.ino(),
                    (number, old) ->
                            old != null && old.generation() == generation ? old : replaced(old, number, generation));
            missing.remove(attributes.ino());
            gone.remove(attributes.ino()); // another object, or one that got a name again
        }
        inode.sighted(walks.get());
        if (!inode.isRoot()) {
            inode.seenAt(parent, name);
        }
        return inode;
    }

    private Inode replaced(Inode old, long number, long generation) {
        if (old != null) {
            old.dropped();
        }
        Inode inode = Inode.of(number, generation);
        if (!closed) {
            inode.indexed(part);
        }
        return inode;
    }

    /** The last name of an object has been removed. */
    void removed(Inode inode) {
        drop(inode);
        if (gone.size() >= MAX_GONE) {
            gone.clear();
        }
        gone.put(inode.number(), inode.generation());
        generations.removed(inode.number());
    }

    /** Whether a client has removed the last name of the object: no walk would find it. */
    boolean isGone(long number, long generation) {
        Long removed = gone.get(number);
        return removed != null && removed == generation;
    }

    private void drop(Inode inode) {
        inodes.computeIfPresent(inode.number(), (number, known) -> {
            if (!known.equals(inode)) {
                return known;
            }
            known.dropped();
            return null;
        });
    }

    private void makeRoom() {
        if (inodes.size() >= MAX_INODES || part.isAbove(share.limit())) {
            dropSome();
        } else {
            part.askOthers();
        }
    }

    /** Drops objects above this index's part of the heap if the whole share is exceeded. Called periodically. */
    void shrink() {
        while (part.isAbove(share.limit()) && inodes.size() > 1) {
            dropSome();
        }
    }

    private void dropSome() {
        int size = inodes.size();
        evictions.incrementAndGet(); // objects that a walk has seen may be missing from now on
        int dropped = 0;
        for (Inode each : inodes.values()) {
            if (dropped > size / 16) {
                return;
            }
            if (!each.isRoot()) {
                drop(each);
                dropped++;
            }
        }
    }

    /** Drops all objects. */
    void close() {
        closed = true;
        for (Inode each : inodes.values()) {
            if (!each.isRoot()) {
                drop(each);
            }
        }
    }

    /**
     * Searches the exported tree for an object and records its place. Blocks for as long as the walk takes. After a
     * walk through the whole tree, the objects that it has not seen are not searched for again at once, so that many
     * objects that were removed on this host cost one walk and not one each.
     *
     * @return the object, or null if it does not exist (any more)
     * @throws NfsError {@code DELAY} while another thread walks
     */
    Inode walkFor(long number, OpenDirectories directories) throws IOException {
        Long missedAt = missing.get(number);
        if (missedAt != null && runtime.nanoTime() - missedAt < MISSING_NANOS) {
            return null;
        }
        if (!walking.tryLock()) {
            if (asked.size() < MAX_MISSING) {
                asked.add(number);
            }
            throw new NfsError(NFS4ERR_DELAY);
        }
        try {
            return isMissedByWholeWalk(number) ? null : walk(number, directories);
        } finally {
            walking.unlock();
        }
    }

    @GuardedBy("walking")
    private Inode walk(long number, OpenDirectories directories) throws IOException {
        int evictionsBefore = evictions.get();
        Set<Long> others = new HashSet<>(asked); // the walk may have passed those that are asked for from now on
        Walk walk = new Walk(number, others, directories);
        walks.incrementAndGet();
        walk.run();
        if (walk.found == null) {
            if (missing.size() + walk.unseen.size() >= MAX_MISSING) {
                missing.clear();
            }
            missing.put(number, runtime.nanoTime());
            walk.unseen.forEach(other -> missing.put(other, runtime.nanoTime()));
            walk.unseen.clear();
            if (walk.goesOn()) {
                wholeWalk = walks.get();
                wholeWalkNanos = runtime.nanoTime();
                wholeWalkEvictions = evictionsBefore;
            }
        }
        others.removeAll(walk.unseen);
        asked.removeAll(others);
        return walk.found;
    }

    /** Whether a recent walk through the whole tree would have seen the object. */
    @GuardedBy("walking")
    private boolean isMissedByWholeWalk(long number) {
        boolean isRecent = wholeWalk > 0
                && runtime.nanoTime() - wholeWalkNanos < MISSING_NANOS
                && evictions.get() == wholeWalkEvictions;
        if (!isRecent) {
            return false;
        }
        Inode inode = inodes.get(number);
        return inode == null || inode.sightedIn() < wholeWalk;
    }

    /** How many walks have been made. */
    int walks() {
        return walks.get();
    }

    /** A walk through the tree until the object is found. Symbolic links and other file systems are not entered. */
    private final class Walk {
        private final long wanted;
        /** Others that are asked for, and that the walk has not seen. */
        private final Set<Long> unseen;

        private final OpenDirectories directories;
        private final Deque<Inode> pending = new ArrayDeque<>();
        private Inode found;
        private int passed;

        Walk(long wanted, Set<Long> others, OpenDirectories directories) {
            this.wanted = wanted;
            this.unseen = new HashSet<>(others);
            this.directories = directories;
        }

        void run() throws IOException {
            pending.push(root);
            while (goesOn() && !pending.isEmpty()) {
                list(pending.pop());
            }
        }

        private boolean goesOn() {
            return found == null && passed <= MAX_WALKED && pending.size() <= MAX_PENDING;
        }

        private void list(Inode directory) throws IOException {
            try (PinnedDirectory pinned = directories.pin(directory)) {
                if (pinned != null) {
                    pinned.forEachName(octets -> {
                        note(pinned, directory, OctetText.decode(octets));
                        return goesOn();
                    });
                }
            } catch (IOException e) {
                requireHarmless(e);
            }
        }

        /**
         * Ignores a failure if the entry has been removed, or this process may not see it. Throws any other failure:
         * the object may exist.
         */
        private void requireHarmless(IOException failure) throws IOException {
            if (!IoErrors.isGone(failure) && IoErrors.status(failure) != NFS4ERR_ACCESS) {
                throw failure;
            }
        }

        private void note(PinnedDirectory pinned, Inode directory, String name) throws IOException {
            UnixAttributes attributes;
            try {
                attributes = pinned.attributesIfThere(name);
            } catch (IOException e) {
                requireHarmless(e);
                return;
            }
            if (attributes == null) {
                return;
            }
            passed++;
            unseen.remove(attributes.ino());
            Inode inode = seen(attributes, directory, name);
            if (attributes.isDirectory()) {
                pending.push(inode);
            }
            if (attributes.ino() == wanted) {
                found = inode;
            }
        }
    }
}
