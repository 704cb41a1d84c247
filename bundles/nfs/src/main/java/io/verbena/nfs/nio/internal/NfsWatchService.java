package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.NotDirectoryException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;

/**
 * Looks at directories again and again, and tells what is different: NFS clients get no events of what others change. What
 * comes and goes between two looks is not seen. One thread, from the first directory on until the service is closed.
 */
final class NfsWatchService implements WatchService, Closeable {
    /** A hint that the JDK ignores where it has no use for it, and programs give everywhere; not of java.base. */
    private static final String SENSITIVITY = "com.sun.nio.file.SensitivityWatchEventModifier";

    private final NfsFileSystem fileSystem;
    private final Map<FileKey, NfsWatchKey> keys = new ConcurrentHashMap<>();
    private final LinkedBlockingDeque<WatchKey> signalled = new LinkedBlockingDeque<>();
    private final NfsWatchKey end;
    private Thread thread;
    private volatile boolean closed;

    NfsWatchService(NfsFileSystem fileSystem) {
        this.fileSystem = fileSystem;
        this.end = new NfsWatchKey(this, fileSystem.root(), null, Set.of());
    }

    WatchKey register(NfsPath directory, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        Set<WatchEvent.Kind<?>> kinds = kinds(events);
        for (WatchEvent.Modifier modifier : modifiers) {
            if (!modifier.getClass().getName().equals(SENSITIVITY)) {
                // as Watchable.register has it, for kinds of events too
                throw new UnsupportedOperationException("a directory cannot be watched with " + modifier);
            }
        }
        FileAttributes attributes = fileSystem.attributes(directory, true);
        if (!attributes.isDirectory()) {
            throw new NotDirectoryException(directory.toString());
        }
        FileKey which = FileKey.of(attributes);
        NfsWatchKey fresh = new NfsWatchKey(this, directory, which, kinds);
        NfsWatchKey known;
        synchronized (this) {
            requireOpen();
            known = keys.get(which);
        }
        if (known != null) {
            known.kinds(kinds);
            return known;
        }
        fresh.look();
        synchronized (this) {
            requireOpen();
            known = keys.putIfAbsent(which, fresh);
            if (known == null && thread == null) {
                thread = new Thread(this::watch, "verbena-nio-watch-" + fileSystem);
                thread.setDaemon(true);
                thread.start();
            }
        }
        if (known != null) { // somebody was faster
            known.kinds(kinds);
            return known;
        }
        return fresh;
    }

    private static Set<WatchEvent.Kind<?>> kinds(WatchEvent.Kind<?>... events) {
        Set<WatchEvent.Kind<?>> kinds = new HashSet<>();
        for (WatchEvent.Kind<?> kind : events) {
            Objects.requireNonNull(kind);
            if (kind == StandardWatchEventKinds.ENTRY_CREATE
                    || kind == StandardWatchEventKinds.ENTRY_DELETE
                    || kind == StandardWatchEventKinds.ENTRY_MODIFY) {
                kinds.add(kind);
            } else if (kind != StandardWatchEventKinds.OVERFLOW) {
                throw new UnsupportedOperationException("there are no events of the kind " + kind.name());
            }
        }
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException("no events to watch for are named");
        }
        return kinds;
    }

    private void watch() {
        try {
            while (!closed) {
                TimeUnit.MILLISECONDS.sleep(fileSystem.watchMillis());
                for (NfsWatchKey key : keys.values()) {
                    key.look();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the service is closed
        } catch (ClosedFileSystemException e) {
            shut();
        }
    }

    void signal(NfsWatchKey key) {
        signalled.add(key);
    }

    void cancelled(NfsWatchKey key) {
        keys.remove(key.which(), key); // and not another that watches the same by now
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedWatchServiceException();
        }
    }

    /** Who waits when the service is closed is woken by a key of no meaning, and wakes the next. */
    private WatchKey taken(WatchKey key) {
        if (key == end) {
            signalled.add(end);
        }
        requireOpen();
        return key;
    }

    @Override
    public WatchKey poll() {
        requireOpen();
        return taken(signalled.poll());
    }

    @Override
    public WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
        requireOpen();
        return taken(signalled.poll(timeout, unit));
    }

    @Override
    public WatchKey take() throws InterruptedException {
        requireOpen();
        return taken(signalled.take());
    }

    /** Who waits is told. */
    private void shut() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        fileSystem.closed(this);
        keys.values().forEach(NfsWatchKey::cancel);
        signalled.clear();
        signalled.add(end);
    }

    @Override
    public void close() throws IOException {
        shut();
        Thread watching;
        synchronized (this) {
            watching = thread;
            thread = null;
        }
        if (watching != null) {
            watching.interrupt();
            try {
                watching.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
