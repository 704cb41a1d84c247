package io.verbena.nfs.nio.internal.directory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.nio.internal.path.DirectoryWatcher;
import io.verbena.nfs.nio.internal.path.MountTree;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.NotDirectoryException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists watched directories periodically and reports differences: the server sends no events of changes. An entry that
 * comes and goes between two passes is not seen. One thread, from the first directory until the service is closed.
 */
public final class NfsWatchService implements DirectoryWatcher, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(NfsWatchService.class);

    /** A modifier outside of java.base that many programs give and that the JDK ignores on most systems. */
    private static final String SENSITIVITY = "com.sun.nio.file.SensitivityWatchEventModifier";

    private final MountTree fileSystem;
    private final long watchMillis;
    private final Map<FileKey, NfsWatchKey> keys = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Lock lock = new ReentrantLock();

    /** Signalled when a key is added, and when the service is closed. */
    private final Condition changed;

    @GuardedBy("lock")
    private final Deque<WatchKey> signalled = new ArrayDeque<>();

    @GuardedBy("this")
    private Thread thread;

    private volatile boolean closed;

    /** @param watchMillis the time between two passes, in milliseconds */
    public NfsWatchService(MountTree fileSystem, long watchMillis) {
        this.fileSystem = fileSystem;
        this.watchMillis = watchMillis;
        this.changed = fileSystem.runtime().newCondition(lock);
    }

    @Override
    public WatchKey register(NfsPath directory, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        Set<WatchEvent.Kind<?>> kinds = kinds(events);
        for (WatchEvent.Modifier modifier : modifiers) {
            if (!modifier.getClass().getName().equals(SENSITIVITY)) {
                // as Watchable.register specifies, for kinds of events too
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
                thread = fileSystem
                        .runtime()
                        .threads("verbena-nio-watch-" + fileSystem)
                        .newThread(this::watch);
                thread.start();
            }
        }
        if (known != null) { // another thread was faster
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
            while (!isClosedWithin(watchMillis)) {
                keys.values().forEach(NfsWatchService::look);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the service is closed
        } catch (ClosedFileSystemException e) {
            shut();
        } catch (Throwable e) {
            shut(); // who waits for a key hears of it
            throw e;
        }
    }

    /** Looks at one directory. The thread goes on whatever is thrown: it serves all other directories, too. */
    private static void look(NfsWatchKey key) {
        try {
            key.look();
        } catch (ClosedFileSystemException e) {
            throw e;
        } catch (InterruptedIOException e) {
            // the service is closed
        } catch (Throwable e) {
            try {
                key.overflow();
                LOG.warn("{}: the directory could not be looked at; the next pass tries again", key.watchable(), e);
            } catch (Throwable again) {
                // no memory: the next pass tries again
            }
        }
    }

    /** Waits for the next pass. Returns true at once when the service is closed. */
    private boolean isClosedWithin(long millis) throws InterruptedException {
        try {
            Void unused = fileSystem.runtime().await(end, TimeUnit.MILLISECONDS.toNanos(millis));
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the end of a service cannot fail", e);
        }
    }

    void signal(NfsWatchKey key) {
        lock.lock();
        try {
            signalled.add(key);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void cancelled(NfsWatchKey key) {
        keys.remove(key.which(), key); // and not a newer key of the same directory
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedWatchServiceException();
        }
    }

    @Override
    public WatchKey poll() {
        lock.lock();
        try {
            requireOpen();
            return signalled.poll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
        long left = unit.toNanos(timeout);
        lock.lockInterruptibly();
        try {
            requireOpen();
            while (signalled.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
                requireOpen();
            }
            return signalled.poll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public WatchKey take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            requireOpen();
            while (signalled.isEmpty()) {
                changed.await();
                requireOpen();
            }
            return signalled.remove();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the service, and wakes the threads that wait for keys. */
    private void shut() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        fileSystem.closed(this);
        keys.values().forEach(NfsWatchKey::cancel);
        lock.lock();
        try {
            signalled.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        end.complete(null);
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
                boolean unused = fileSystem.runtime().awaitEnd(watching, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
