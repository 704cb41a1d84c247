package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;

import io.verbena.dirfd.FileStatus;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The objects that handles were issued for, by inode number. It is a cache: what is not in it is found by walking the
 * tree, one bounded walk at a time, which brings in all that it passes. Thread safe.
 */
final class InodeIndex {
    private static final int MAX_INODES = 1 << 20;
    private static final int MAX_WALKED = 4 << 20;
    private static final int MAX_MISSING = 4096;
    private static final long MISSING_NANOS = Duration.ofSeconds(5).toNanos();

    private final Inode root;
    private final long device;
    private final Generations generations;
    private final Map<Long, Inode> inodes = new ConcurrentHashMap<>();
    private final Map<Long, Long> missing = new ConcurrentHashMap<>();
    private final AtomicInteger walks = new AtomicInteger();
    private final AtomicInteger evictions = new AtomicInteger();
    private int wholeWalk;
    private int wholeWalkEvictions;
    private long wholeWalkNanos;

    InodeIndex(Inode root, long device, Generations generations) {
        this.root = root;
        this.device = device;
        this.generations = generations;
        inodes.put(root.number(), root);
    }

    Inode root() {
        return root;
    }

    /** The object of that number, or null where no walk or look-up has seen it. */
    Inode known(long number) {
        return inodes.get(number);
    }

    /** Whether attributes are those of an object. */
    boolean isSame(Inode inode, FileStatus status) {
        return status.ino() == inode.number()
                && status.device() == device
                && generations.of(status) == inode.generation();
    }

    /** Notes that a look-up has found an object; where it replaces another of its number, that one is forgotten. */
    Inode seen(UnixAttributes attributes, Inode parent, String name) {
        long generation = generations.of(attributes);
        Inode inode = inodes.get(attributes.ino());
        if (inode == null || inode.generation() != generation) {
            makeRoom();
            inode = inodes.compute(
                    attributes.ino(),
                    (number, old) ->
                            old != null && old.generation() == generation ? old : Inode.of(number, generation));
            missing.remove(attributes.ino());
        }
        inode.sighted(walks.get());
        if (!inode.isRoot()) {
            inode.seenAt(parent, name);
        }
        return inode;
    }

    /** The last name of an object has been removed. */
    void removed(Inode inode) {
        inodes.remove(inode.number(), inode);
        generations.removed(inode.number());
    }

    private void makeRoom() {
        if (inodes.size() < MAX_INODES) {
            return;
        }
        evictions.incrementAndGet(); // what a walk has come upon may no longer be known
        Iterator<Inode> each = inodes.values().iterator();
        for (int dropped = 0; dropped < MAX_INODES / 16 && each.hasNext(); dropped++) {
            if (!each.next().isRoot()) {
                each.remove();
            }
        }
    }

    /**
     * Walks the exported tree for an object and notes its place. Blocks for as long as a large tree takes. What a walk
     * through the whole tree has not come upon is not walked for again at once, so that many objects removed on this
     * host cost one walk and not one each.
     *
     * @return the object, or null where it is not there (any more)
     */
    synchronized Inode walkFor(long number, OpenDirectories directories) throws IOException {
        Long missedAt = missing.get(number);
        if (missedAt != null && System.nanoTime() - missedAt < MISSING_NANOS) {
            return null;
        }
        if (isMissedByWholeWalk(number)) {
            return null;
        }
        int evictionsBefore = evictions.get();
        Walk walk = new Walk(number, directories);
        walks.incrementAndGet();
        walk.run();
        if (walk.found == null) {
            if (missing.size() >= MAX_MISSING) {
                missing.clear();
            }
            missing.put(number, System.nanoTime());
            if (walk.passed <= MAX_WALKED) {
                wholeWalk = walks.get();
                wholeWalkNanos = System.nanoTime();
                wholeWalkEvictions = evictionsBefore;
            }
        }
        return walk.found;
    }

    /** Whether a recent walk would have come upon the object, had it been there. */
    private boolean isMissedByWholeWalk(long number) {
        boolean isRecent = wholeWalk > 0
                && System.nanoTime() - wholeWalkNanos < MISSING_NANOS
                && evictions.get() == wholeWalkEvictions;
        if (!isRecent) {
            return false;
        }
        Inode inode = inodes.get(number);
        return inode == null || inode.sightedIn() < wholeWalk;
    }

    /** How many walks there have been. */
    int walks() {
        return walks.get();
    }

    /** Goes through the tree until the object is found. Symbolic links and other file systems are left alone. */
    private final class Walk {
        private final long wanted;
        private final OpenDirectories directories;
        private final Deque<Inode> pending = new ArrayDeque<>();
        private Inode found;
        private int passed;

        Walk(long wanted, OpenDirectories directories) {
            this.wanted = wanted;
            this.directories = directories;
        }

        void run() throws IOException {
            pending.push(root);
            while (goesOn() && !pending.isEmpty()) {
                list(pending.pop());
            }
        }

        private boolean goesOn() {
            return found == null && passed <= MAX_WALKED;
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

        /** Gone, or not to be seen by this process, is as good as not there. Nothing else is: the object may be there. */
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
