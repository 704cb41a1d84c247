package io.verbena.fuse.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The {@code Mount} services, by name, as they come and go. Thread safe. */
public final class NamedMounts {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition added;

    @GuardedBy("lock")
    private final Map<Mount, String> all = new LinkedHashMap<>();

    public NamedMounts(Runtime runtime) {
        added = runtime.newCondition(lock);
    }

    public void add(String name, Mount mount) {
        lock.lock();
        try {
            all.put(mount, name);
            added.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public void remove(Mount mount) {
        lock.lock();
        try {
            all.remove(mount);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The mount of a name, which may come later. One that follows links within a path is refused: the kernel does that
     * itself, as the user who asks, and the client would do it as the user of the mount.
     *
     * @param swapTimeout how long to wait for it
     */
    public MountSource source(String name, Duration swapTimeout) {
        return new MountSource() {
            @Override
            public Mount get() throws IOException {
                return requireNoLinks(name, await(name, null, swapTimeout));
            }

            @Override
            public Mount successor(Mount gone) throws IOException {
                return requireNoLinks(name, await(name, gone, swapTimeout));
            }
        };
    }

    private static Mount requireNoLinks(String name, Mount found) throws IOException {
        if (!"off".equals(found.settings().get(MountOption.LINKS.key()))) {
            throw new IOException("mount '" + name + "' follows symbolic links, which the kernel has to do for a"
                    + " directory of this host: mount it with -o links=off, or name SERVER:/EXPORT in place of it,"
                    + " which makes a mount of its own");
        }
        return found;
    }

    private Mount await(String name, Mount gone, Duration timeout) throws IOException {
        long left = timeout.toNanos();
        lock.lock();
        try {
            Mount found = find(name, gone);
            while (found == null && left > 0) {
                left = added.awaitNanos(left);
                found = find(name, gone);
            }
            if (found == null) {
                throw new ServerUnavailableException(
                        "there is no mount '" + name + "', and none has come within " + timeout.toSeconds()
                                + " s: nfs:mounts lists those that are there",
                        null);
            }
            return found;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for a mount");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Mount find(String name, Mount gone) {
        Mount found = null;
        for (Map.Entry<Mount, String> each : all.entrySet()) {
            if (each.getValue().equals(name) && each.getKey() != gone) {
                found = each.getKey();
            }
        }
        return found;
    }
}
