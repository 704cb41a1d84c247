package io.verbena.simulation.disk;

import io.verbena.dirfd.Directory;
import java.nio.file.FileStore;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * One file system in memory. Programs use it by {@link #root} and what they open from there; the simulator lets the
 * power fail, looks at what there is, and steers {@link DiskFaults}.
 *
 * <p>Names and attributes reach stable storage in the order of their changes, as by a journal: a crash leaves a first
 * part of them, which has at least what was synced. A sync of a directory and a force of a file commit the journal up
 * to the last change of that object, and with it what was before. The content of files gets there in pages of 4096
 * octets, in any order: a crash leaves of each page the last content that was forced or one of the later ones. The size
 * of a file follows from its pages and its truncations.
 *
 * <p>The process is root's unless {@link #setProcess} names another user, and its umask is 022. Permissions are not
 * checked, times of access do not change by reading, numbers of inodes are never used again, and there are no device
 * files. Not thread safe: one thread at a time.
 */
public final class SimulatedDisk {
    private static final long DEVICE = 0xfd03;
    private static final long ROOT_NUMBER = 2;
    private static final long FIRST_NUMBER = 12;
    private static final int ROOT_MODE = Attributes.DIRECTORY | 0755;

    private final Supplier<Instant> clock;
    private final DiskFaults faults;
    private final LatencyHook hook;
    private final Space space;
    private final Journal journal = new Journal();
    private final ErrorSequence errors = new ErrorSequence();
    private final OpenObjects openObjects = new OpenObjects();
    private final Namespace namespace = new Namespace(this);
    private final Inode root;

    /** The files with content that was not forced, by number. */
    private final TreeMap<Long, Inode> dirty = new TreeMap<>();

    private long nextNumber = FIRST_NUMBER;
    private int restart;
    private int uid;
    private int gid;

    /** A disk without faults and delays. */
    public SimulatedDisk(Supplier<Instant> clock) {
        this(clock, new DiskFaults(new SplittableRandom(0)), LatencyHook.NONE);
    }

    /**
     * @param clock the virtual time
     * @param hook charges the time of each operation
     */
    public SimulatedDisk(Supplier<Instant> clock, DiskFaults faults, LatencyHook hook) {
        this.clock = clock;
        this.faults = faults;
        this.hook = hook;
        space = new Space(faults);
        FileTime now = now();
        root = new Inode(ROOT_NUMBER, new Attributes(ROOT_MODE, 2, 0, 0, now, now, now, now), null);
        root.parent = root;
        root.stableAttributes = root.attributes;
        space.found(root.pages());
    }

    /** Sets the user and the group of the process, which own what it makes. */
    public void setProcess(int newUid, int newGid) {
        uid = newUid;
        gid = newGid;
    }

    public DiskFaults faults() {
        return faults;
    }

    /**
     * Opens the root directory.
     *
     * @return the directory, which the caller closes
     */
    public Directory root() {
        return new DiskDirectory(this, root);
    }

    /** The space of this disk, as java.nio tells it. */
    public FileStore fileStore() {
        return new SimulatedFileStore(this);
    }

    /** How many references and channels the present process has open. */
    public int opens() {
        return openObjects.count();
    }

    /** The room that is left. */
    public long freeOctets() {
        return faults.capacity() - space.usedPages() * FileContent.PAGE;
    }

    /** What programs see. */
    public DiskView view() {
        return new DiskView(root, false, DEVICE);
    }

    /** What is certain to be there after a loss of power. More may be there. */
    public DiskView stableView() {
        return new DiskView(root, true, DEVICE);
    }

    /** A hash of what programs see and of what is on stable storage, the same in each run with the same operations. */
    public long hash() {
        StateHash hash = new StateHash();
        view().hash(hash);
        stableView().hash(hash);
        return hash.add(journal.end()).add(dirty.size()).add(nextNumber).value();
    }

    /** Whether a loss of power could take anything back. */
    public boolean isAllStable() {
        return journal.isEmpty() && dirty.isEmpty();
    }

    /**
     * The power fails, and is there again. Each open reference and channel fails with EIO from now on.
     *
     * @param random decides what is left of what was not brought to stable storage
     */
    public void powerLoss(RandomGenerator random) {
        faults.counted(DiskFault.POWER_LOSS);
        journal.commitSome(random);
        for (Inode file : dirty.values()) {
            file.content.crash(random);
        }
        dirty.clear();
        journal.drop();
        restart++;
        openObjects.end();
        restore();
    }

    /** Programs see what is on stable storage. */
    private void restore() {
        space.reset();
        errors.forget();
        Deque<Inode> left = new ArrayDeque<>();
        root.restart = restart;
        left.push(root);
        while (!left.isEmpty()) {
            Inode inode = left.pop();
            inode.restore();
            space.found(inode.pages());
            if (inode.isDirectory()) {
                for (Inode child : inode.entries.values()) {
                    if (child.restart != restart) {
                        child.restart = restart;
                        left.push(child);
                    }
                }
            }
        }
    }

    /**
     * The process ends: each of its open references and channels fails with EIO from now on, and files without a name
     * are freed. All else stays as programs see it.
     */
    public void endProcess() {
        restart++;
        openObjects.end().forEach(this::freed);
    }

    /**
     * The kernel writes in the background: some pages, and a first part of the journal.
     *
     * @param random decides what is written
     */
    public void writeBack(RandomGenerator random) {
        journal.commitSome(random);
        for (Inode file : new ArrayList<>(dirty.values())) {
            if (faults.strikes(DiskFault.FORCE_ERROR)) {
                new PendingForce(this, List.of(file), 0).fail();
            } else {
                file.content.writeBack(random);
                settled(file);
            }
        }
    }

    /** Brings everything to stable storage, without delay or fault. */
    public void writeAll() {
        new PendingForce(this, dirtyFiles(), journal.end()).succeed();
    }

    /** Calls the latency hook. The caller looks afterwards whether its descriptor is still valid. */
    void charge(DiskOperation operation, long octets) {
        hook.before(operation, octets);
    }

    Collection<Inode> dirtyFiles() {
        return new ArrayList<>(dirty.values());
    }

    /** Called when a file may have become dirty, or clean. */
    void settled(Inode file) {
        if (file.content.isDirty()) {
            dirty.put(file.number, file);
        } else {
            dirty.remove(file.number);
        }
    }

    /** Frees an object without a name that nobody has open. */
    void freed(Inode inode) {
        dirty.remove(inode.number);
        space.release(inode.pages());
        space.releaseInode();
    }

    /**
     * Called when a reference or a channel is closed.
     *
     * @param since the {@link #restart} in which it was opened
     */
    void closed(Inode inode, int since) {
        if (since == restart && openObjects.closed(inode)) {
            freed(inode);
        }
    }

    long nextNumber() {
        return nextNumber++;
    }

    int uid() {
        return uid;
    }

    int gid() {
        return gid;
    }

    FileTime now() {
        return FileTime.from(clock.get());
    }

    long device() {
        return DEVICE;
    }

    /** Changes with each loss of power and each end of the process. */
    int restart() {
        return restart;
    }

    Space space() {
        return space;
    }

    Journal journal() {
        return journal;
    }

    ErrorSequence errors() {
        return errors;
    }

    OpenObjects openObjects() {
        return openObjects;
    }

    Namespace namespace() {
        return namespace;
    }
}
