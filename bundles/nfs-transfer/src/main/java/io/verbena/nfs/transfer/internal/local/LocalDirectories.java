package io.verbena.nfs.transfer.internal.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.dirfd.Directory;
import io.verbena.dirfd.host.Directories;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open directories of a tree of this host. A top, which the user named, and the directory that contains it are
 * opened by their paths, in which the user may have links. Every directory below a top is opened in its parent by one
 * name, and no link is followed.
 *
 * <p>The directories used last stay open until {@link #close}. A directory in use is closed after its last {@link
 * Held#close}. Thread safe.
 */
final class LocalDirectories implements Closeable {
    /** The largest number of directories that stay open without being in use. */
    private static final int MOST = 32;

    private static final Logger LOG = LoggerFactory.getLogger(LocalDirectories.class);

    /** An open directory that its user closes. */
    final class Held implements Closeable {
        private final Directory directory;

        // the lock of the outer object guards both
        private int users = 1;
        private boolean isForgotten;

        private Held(Directory directory) {
            this.directory = directory;
        }

        Directory directory() {
            return directory;
        }

        /** Ends one use. */
        @Override
        public void close() {
            synchronized (LocalDirectories.this) {
                users--;
                closeUnused(this);
            }
        }
    }

    /** A name in an open directory, which {@link #close} gives back. */
    static final class Entry implements Closeable {
        private final Held held;
        private final byte[] name;

        Entry(Held held, byte[] name) {
            this.held = held;
            this.name = name;
        }

        Directory directory() {
            return held.directory();
        }

        byte[] name() {
            return name;
        }

        @Override
        public void close() {
            held.close();
        }
    }

    private final List<String> tops = new CopyOnWriteArrayList<>();

    /** The directories that stay open, by path, the one used last at the end. */
    @GuardedBy("this")
    private final Map<String, Held> open = new LinkedHashMap<>(MOST, 0.75f, true);

    @GuardedBy("this")
    private boolean isClosed;

    /** Adds a path that the user named, or that a link leads to that the user named. */
    void addTop(String path) {
        tops.add(path);
    }

    /** Returns whether the path is one that the user named. */
    boolean isTop(String path) {
        return tops.contains(path);
    }

    /** Returns whether a path means a directory that has no name of its own there, as a root and {@code ..}. */
    boolean isNameless(String path) {
        String name = name(path);
        return name.isEmpty() || name.equals(".") || name.equals("..");
    }

    /** Returns whether the path is the directory that contains what the user named, and nothing else. */
    boolean isAbove(String path) {
        return !isTop(path)
                && !isBelowTop(path)
                && tops.stream().anyMatch(top -> parent(top).equals(path));
    }

    private boolean isBelowTop(String path) {
        return tops.stream().anyMatch(top -> path.startsWith(top.endsWith("/") ? top : top + "/") && !path.equals(top));
    }

    static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }

    static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Returns the directory that contains an object, and the object's name. */
    Entry entry(String path) throws IOException {
        return new Entry(directory(parent(path)), OctetText.encode(name(path)));
    }

    /** Returns an open directory. */
    Held directory(String path) throws IOException {
        Deque<String> missing = new ArrayDeque<>();
        String at = path;
        Held held = cached(at);
        while (held == null && isBelowTop(at)) {
            missing.push(at);
            at = parent(at);
            held = cached(at);
        }
        if (held == null) {
            held = keep(at, openByPath(at));
        }
        while (!missing.isEmpty()) {
            String next = missing.pop();
            try (Held above = held) {
                held = keep(next, above.directory().openDirectory(OctetText.encode(name(next))));
            }
        }
        return held;
    }

    /** Keeps a top that was made now, opened in its parent: what takes its place is not followed. */
    void keepMade(String path, Entry entry) throws IOException {
        if (isTop(path)) {
            keep(path, entry.directory().openDirectory(entry.name())).close();
        }
    }

    private synchronized Held cached(String path) throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        Held held = open.get(path);
        if (held != null) {
            held.users++;
        }
        return held;
    }

    /** Opens a directory by its path, whose last name may be a link. */
    private Directory openByPath(String path) throws IOException {
        if (!isTop(path) && !isAbove(path)) {
            throw new IOException("no path of this copy: " + OctetText.escape(path));
        }
        return Directories.open(LocalNames.path(path).resolve("."));
    }

    /** Keeps a directory that was opened now, for a first user. */
    private synchronized Held keep(String path, Directory directory) throws IOException {
        Held held = new Held(directory);
        if (isClosed) {
            held.isForgotten = true;
            held.close();
            throw new ClosedChannelException();
        }
        Held other = open.put(path, held);
        if (other != null) { // two threads have opened it
            forget(other);
        }
        if (open.size() > MOST) {
            // a top stays: it would be opened again by its path, where another object may be by then
            open.keySet().stream()
                    .filter(each -> !isTop(each))
                    .findFirst()
                    .ifPresent(eldest -> forget(open.remove(eldest)));
        }
        return held;
    }

    /** Forgets a directory that was removed or renamed, and all below it. */
    synchronized void forget(String path) {
        List<String> gone = new ArrayList<>();
        for (String each : open.keySet()) {
            if (each.equals(path) || each.startsWith(path + "/")) {
                gone.add(each);
            }
        }
        gone.forEach(each -> forget(open.remove(each)));
    }

    private synchronized void forget(Held held) {
        held.isForgotten = true;
        closeUnused(held);
    }

    private synchronized void closeUnused(Held held) {
        if (held.isForgotten && held.users == 0) {
            try {
                held.directory.close();
            } catch (IOException e) {
                LOG.debug("a directory was not closed", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        List<Held> all = new ArrayList<>(open.values());
        open.clear();
        all.forEach(this::forget);
    }
}
