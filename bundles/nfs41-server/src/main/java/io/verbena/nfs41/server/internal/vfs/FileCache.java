package io.verbena.nfs41.server.internal.vfs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Open files by object, one each, and who uses them. Who has acquired one releases it. Nothing is opened or closed here:
 * methods give out what the caller is to close. Thread safe.
 */
final class FileCache {
    private static final long IDLE_NANOS = Duration.ofSeconds(30).toNanos();

    private final int limit;
    private final Predicate<Inode> isOpen;
    private final Map<Inode, OpenFile> files = new HashMap<>();
    private final Map<Long, Inode> unlinked = new HashMap<>();

    /**
     * @param limit the most files that are kept without being in use at the moment, those without a name aside
     * @param isOpen whether a client has a file open; called with this object's lock held
     */
    FileCache(int limit, Predicate<Inode> isOpen) {
        this.limit = limit;
        this.isOpen = isOpen;
    }

    /**
     * Which file to use, and which to close.
     *
     * @param used is acquired
     * @param toClose null where there is none
     */
    record TakenIn(OpenFile used, OpenFile toClose) {}

    /** The open file, or null where there is none, or none to write where that is asked for. */
    synchronized OpenFile acquire(Inode inode, boolean write) {
        OpenFile kept = files.get(inode);
        if (kept == null || (write && !kept.isWritable())) {
            return null;
        }
        kept.use();
        return kept;
    }

    /** Takes in a file that was opened just now, unless another was meanwhile that serves as well. */
    synchronized TakenIn takeIn(OpenFile opened) {
        OpenFile other = files.get(opened.inode());
        if (other != null && (other.isWritable() || !opened.isWritable())) {
            other.use();
            return new TakenIn(other, opened);
        }
        files.put(opened.inode(), opened);
        if (other != null && other.isUnlinked()) {
            opened.unlinked();
        }
        opened.use();
        return new TakenIn(opened, other == null || other.users() > 0 ? null : other); // its last user closes it
    }

    /**
     * Ends a use.
     *
     * @return a file to close, or null
     */
    synchronized OpenFile release(OpenFile file) {
        file.release(System.nanoTime());
        if (files.get(file.inode()) != file) {
            return file.users() == 0 ? file : null;
        }
        return files.size() - unlinked.size() > limit ? takeLongestUnused() : null;
    }

    /** What clients have open goes last, and only where it could be opened again. That is tried here: seldom, and shortly. */
    private OpenFile takeLongestUnused() {
        while (true) {
            OpenFile longest = longestUnused();
            if (longest == null) {
                return null;
            }
            if (!isWanted(longest) || longest.canBeReplaced()) {
                files.remove(longest.inode());
                return longest;
            }
        }
    }

    private OpenFile longestUnused() {
        OpenFile longest = null;
        boolean longestIsWanted = false;
        for (OpenFile each : files.values()) {
            if (each.users() > 0 || each.isUnlinked()) {
                continue;
            }
            boolean eachIsWanted = isWanted(each);
            if (eachIsWanted && each.isIrreplaceable()) {
                continue;
            }
            boolean isLonger = longest == null || each.lastUsedNanos() - longest.lastUsedNanos() < 0;
            if (longest == null || (eachIsWanted == longestIsWanted ? isLonger : longestIsWanted)) {
                longest = each;
                longestIsWanted = eachIsWanted;
            }
        }
        return longest;
    }

    /** Whether a client has a file open, or is about to, having made it. */
    private boolean isWanted(OpenFile file) {
        return file.isNew() || isOpen.test(file.inode());
    }

    /** Takes out what nobody has open and nobody has used for a while. */
    synchronized Collection<OpenFile> takeIdle() {
        long now = System.nanoTime();
        List<OpenFile> idle = new ArrayList<>();
        for (OpenFile file : files.values()) {
            boolean isIdle = file.isUnlinked() || now - file.lastUsedNanos() > IDLE_NANOS;
            if (file.users() == 0 && isIdle && !isOpen.test(file.inode())) {
                idle.add(file);
            }
        }
        idle.forEach(this::drop);
        return idle;
    }

    private void drop(OpenFile file) {
        files.remove(file.inode());
        unlinked.remove(file.inode().number());
    }

    /** Takes out all, and gives out those that nobody uses. */
    synchronized Collection<OpenFile> takeAll() {
        List<OpenFile> unused =
                files.values().stream().filter(file -> file.users() == 0).toList();
        files.clear();
        unlinked.clear();
        return unused;
    }

    /** The client that has made a file has opened it. */
    synchronized void opened(OpenFile made) {
        made.setNew(false);
    }

    /** A file has no name, as its own attributes say. */
    synchronized void noteUnlinked(OpenFile file) {
        if (files.get(file.inode()) == file && !file.isUnlinked()) {
            file.unlinked();
            unlinked.put(file.inode().number(), file.inode());
        }
    }

    /**
     * A file has lost its last name. It is taken out where no client has it open.
     *
     * @param toClose takes what nobody uses; who uses it last closes it otherwise
     * @return whether it is kept
     */
    synchronized boolean removed(Inode inode, Collection<OpenFile> toClose) {
        OpenFile file = files.get(inode);
        if (file == null) {
            return false;
        }
        file.unlinked();
        unlinked.put(inode.number(), file.inode());
        return !dropUnlinked(inode, toClose);
    }

    /**
     * Takes out a file that has no name and that no client has open.
     *
     * @param toClose takes what nobody uses; who uses it last closes it otherwise
     * @return whether there was one
     */
    synchronized boolean dropUnlinked(Inode inode, Collection<OpenFile> toClose) {
        OpenFile file = files.get(inode);
        if (file == null || !file.isUnlinked() || isOpen.test(inode)) {
            return false;
        }
        drop(file);
        if (file.users() == 0) {
            toClose.add(file);
        }
        return true;
    }

    /** The file of that number that has no name, or null. */
    synchronized Inode unlinked(long number) {
        return unlinked.get(number);
    }

    synchronized int count() {
        return files.size();
    }
}
