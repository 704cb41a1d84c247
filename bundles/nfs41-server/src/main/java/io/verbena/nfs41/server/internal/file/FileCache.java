package io.verbena.nfs41.server.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Open files by object, at most one for each, and the number of their users. Each acquired file must be released. This
 * class opens and closes no files: its methods return the files that the caller closes. Thread safe.
 */
final class FileCache {
    private static final int MOST_LOOKED_AT = 32;

    /** How many files are closed where descriptors are lacking: a request waits for that. */
    private static final int MOST_CLOSED = 64;

    /** The most files beyond the limit that are kept since they could not be opened again. */
    private static final int MAX_IRREPLACEABLE = 1024;

    private static final long IDLE_NANOS = Duration.ofSeconds(30).toNanos();

    private final int limit;
    private final Predicate<Inode> isOpen;
    private final Runtime runtime;

    /** The longest unused file first: each access moves a file to the end. */
    @GuardedBy("this")
    private final Map<Inode, OpenFile> files = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Map<Long, Inode> unlinked = new HashMap<>();

    /** Files with written data that are being closed, which brings that to stable storage. */
    @GuardedBy("this")
    private final Set<OpenFile> closing = new HashSet<>();

    /**
     * @param limit the most files that stay open without being in use, not counting files without a name and {@value
     *     #MAX_IRREPLACEABLE} that could not be opened again
     * @param isOpen whether a client has a file open; called while the lock of this object is held
     */
    FileCache(int limit, Predicate<Inode> isOpen, Runtime runtime) {
        this.limit = limit;
        this.isOpen = isOpen;
        this.runtime = runtime;
    }

    /**
     * The file to use, and the file to close.
     *
     * @param used acquired for the caller
     * @param toClose null if there is none
     */
    record TakenIn(OpenFile used, OpenFile toClose) {}

    /** Acquires the open file; null if there is none, or if it cannot be written to and {@code write} is set. */
    synchronized OpenFile acquire(Inode inode, boolean write) {
        OpenFile kept = files.get(inode);
        if (kept == null || !serves(kept, write)) {
            return null;
        }
        kept.use();
        return kept;
    }

    /** Whether a file is good for that. An interrupt of any of its users closes its channel. */
    private static boolean serves(OpenFile file, boolean write) {
        return file.isOpen() && (file.isWritable() || !write);
    }

    /**
     * Adds a file that was just opened, and acquires it; or acquires another one that was added meanwhile and serves as
     * well.
     */
    synchronized TakenIn takeIn(OpenFile opened) {
        OpenFile other = files.get(opened.inode());
        if (other != null && serves(other, opened.isWritable())) {
            other.use();
            return new TakenIn(other, opened);
        }
        files.put(opened.inode(), opened);
        if (other != null && other.isUnlinked()) {
            opened.unlinked();
        }
        opened.use();
        return new TakenIn(opened, other == null || other.users() > 0 ? null : toClose(other)); // or its last user
    }

    /**
     * Ends a use.
     *
     * @return a file to close, or null
     */
    synchronized OpenFile release(OpenFile file) {
        file.release(runtime.nanoTime());
        if (files.get(file.inode()) != file) {
            return file.users() == 0 ? toClose(file) : null;
        }
        return files.size() - unlinked.size() > limit ? takeLongestUnused() : null;
    }

    /**
     * Removes the file that has been unused for longest. Files that clients have open come last, and those that could
     * not be opened again only where there are too many of them. The test for that opens the file, under the lock: it
     * is rare and short.
     */
    @GuardedBy("this")
    private OpenFile takeLongestUnused() {
        while (true) {
            OpenFile longest = longestUnused();
            boolean isForced = longest == null && files.size() - unlinked.size() > limit + MAX_IRREPLACEABLE;
            if (isForced) {
                longest = longestIrreplaceable();
            }
            if (longest == null) {
                return null;
            }
            if (isForced || !isWanted(longest) || longest.canBeReplaced()) {
                files.remove(longest.inode());
                return toClose(longest);
            }
        }
    }

    /**
     * The first file in the order of use that no client has open; else the first that may be opened again. A file that
     * no client has open is looked for among the first few alone: the lock is held, and clients may have all open.
     */
    @GuardedBy("this")
    private OpenFile longestUnused() {
        OpenFile longestWanted = null;
        int looked = 0;
        for (OpenFile each : files.values()) {
            if (longestWanted != null && looked++ >= MOST_LOOKED_AT) {
                break;
            }
            if (each.users() > 0 || each.isUnlinked()) {
                continue;
            }
            if (!isWanted(each)) {
                return each;
            }
            if (longestWanted == null && !each.isIrreplaceable()) {
                longestWanted = each;
            }
        }
        return longestWanted;
    }

    @GuardedBy("this")
    private OpenFile longestIrreplaceable() {
        for (OpenFile each : files.values()) {
            if (each.users() == 0 && each.isIrreplaceable() && !each.isUnlinked()) {
                return each;
            }
        }
        return null;
    }

    /** Whether a client has a file open, or has just created it and is about to open it. */
    @GuardedBy("this")
    private boolean isWanted(OpenFile file) {
        return file.isNew() || isOpen.test(file.inode());
    }

    /** Removes the files that no client has open and that have not been used for some time. */
    synchronized Collection<OpenFile> takeIdle() {
        long now = runtime.nanoTime();
        return take(file -> file.isUnlinked() || now - file.lastUsedNanos() > IDLE_NANOS, files.size());
    }

    /** Removes files that no client has open or is about to open, however long that is: those unused for longest. */
    synchronized Collection<OpenFile> takeUnused() {
        return take(file -> !file.isNew(), MOST_CLOSED);
    }

    @GuardedBy("this")
    private List<OpenFile> take(Predicate<OpenFile> isIdle, int most) {
        List<OpenFile> taken = new ArrayList<>();
        for (OpenFile file : files.values()) {
            if (taken.size() == most) {
                break;
            }
            if (file.users() == 0 && isIdle.test(file) && !isOpen.test(file.inode())) {
                taken.add(file);
            }
        }
        for (OpenFile file : taken) {
            drop(file);
            OpenFile unused = toClose(file);
        }
        return taken;
    }

    @GuardedBy("this")
    private OpenFile toClose(OpenFile file) {
        if (file.isDirty()) {
            closing.add(file);
        }
        return file;
    }

    /** Called when a file has been closed. */
    synchronized void closed(OpenFile file) {
        closing.remove(file);
    }

    /** The files with data of an object that are being closed: that may not be on stable storage yet. */
    synchronized List<OpenFile> closing(Inode inode) {
        return closing.stream().filter(file -> file.inode().equals(inode)).toList();
    }

    @GuardedBy("this")
    private void drop(OpenFile file) {
        files.remove(file.inode());
        unlinked.remove(file.inode().number());
    }

    /** Removes all files, and returns those that are not in use. */
    synchronized Collection<OpenFile> takeAll() {
        List<OpenFile> unused =
                files.values().stream().filter(file -> file.users() == 0).toList();
        files.clear();
        unlinked.clear();
        return unused;
    }

    /** Called when the client that has created a file has opened it. */
    synchronized void opened(OpenFile made) {
        made.setNew(false);
    }

    /** Records that a file has no name, according to its attributes. */
    synchronized void noteUnlinked(OpenFile file) {
        if (files.get(file.inode()) == file && !file.isUnlinked()) {
            file.unlinked();
            unlinked.put(file.inode().number(), file.inode());
        }
    }

    /**
     * Records that a file has lost its last name. The file is removed if no client has it open.
     *
     * @param toClose receives the file if it is not in use; else its last user closes it
     * @return whether the file is kept
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
     * Removes a file that has no name and that no client has open.
     *
     * @param toClose receives the file if it is not in use; else its last user closes it
     * @return whether there was such a file
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

    /** The file of a number, if it has no name; else null. */
    synchronized Inode unlinked(long number) {
        return unlinked.get(number);
    }

    synchronized int unlinkedCount() {
        return unlinked.size();
    }

    synchronized int count() {
        return files.size();
    }
}
