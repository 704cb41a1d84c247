package io.verbena.hadoop.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.hadoop.internal.settings.Settings;
import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import javax.security.auth.Subject;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One mount of a server for all file systems of this process that have the same options and make their calls as the
 * same user. A mount ends with its last user, and all end with the process. Thread safe.
 */
public final class SharedMounts {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMounts.class);
    private static final String ROOT = "/";
    /** Below the priority of {@code FileSystem.SHUTDOWN_HOOK_PRIORITY}: file systems close their files before. */
    private static final int SHUTDOWN_PRIORITY = 5;

    private static final SharedMounts OF_PROCESS =
            new SharedMounts(SharedMounts::make, () -> ShutdownHookManager.get().isShutdownInProgress());

    private final Maker maker;
    private final BooleanSupplier isProcessEnding;

    @GuardedBy("this")
    private final Map<Key, Shared> mounts = new HashMap<>();

    @GuardedBy("this")
    private boolean hooked;

    /** @param isProcessEnding whether hooks of the end of the process run */
    SharedMounts(Maker maker, BooleanSupplier isProcessEnding) {
        this.maker = maker;
        this.isProcessEnding = isProcessEnding;
    }

    /** Makes a mount. */
    interface Maker {
        ClosableMount make(Key key) throws IOException;
    }

    /** What the users of one mount have in common. */
    record Key(String server, MountOptions options, Subject subject) {
        @Override
        @SuppressWarnings("ReferenceEquality") // a subject's principals and credentials may change
        public boolean equals(Object other) {
            return other instanceof Key that
                    && server.equals(that.server)
                    && options.equals(that.options)
                    && subject == that.subject;
        }

        @Override
        public int hashCode() {
            return 31 * server.hashCode() + options.hashCode();
        }
    }

    private static final class Shared {
        private final ClosableMount mount;
        private int users;

        Shared(ClosableMount mount) {
            this.mount = mount;
        }
    }

    /** One user's part of a shared mount. Thread safe. */
    public static final class Part implements AutoCloseable {
        private final SharedMounts all;
        private final Key key;
        private final Mount mount;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Part(SharedMounts all, Key key, Mount mount) {
            this.all = all;
            this.key = key;
            this.mount = mount;
        }

        public Mount mount() {
            return mount;
        }

        /**
         * Gives the part back. The last one unmounts, which takes a bounded time; at the end of the process all mounts
         * do so together. Closing it again has no effect.
         */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                all.release(this);
            }
        }
    }

    /**
     * Takes part in the mount of a server for a user, and waits until it can be used.
     *
     * @param server host name or address
     * @param port the port, or -1 for that of the options
     * @throws IOException if the server cannot be reached in the time of the settings, or refuses
     */
    public static Part acquire(String server, int port, UserGroupInformation user, Settings settings)
            throws IOException {
        Identity identity = Identity.of(user, settings);
        MountOptions options = settings.mountOptions(port, identity.options());
        OF_PROCESS.hook();
        Part part = OF_PROCESS.join(new Key(server, options, identity.subject()));
        boolean connected = false;
        try {
            part.mount().connect(settings.connectTimeout());
            connected = true;
            return part;
        } finally {
            if (!connected) {
                part.close();
            }
        }
    }

    /** Has all mounts end with the process, unless it ends already: no hook is taken then. */
    synchronized void hook() {
        if (!hooked && !isProcessEnding.getAsBoolean()) {
            ShutdownHookManager.get().addShutdownHook(this::closeAll, SHUTDOWN_PRIORITY);
            hooked = true;
        }
    }

    synchronized Part join(Key key) throws IOException {
        Shared shared = mounts.get(key);
        if (shared == null) {
            shared = new Shared(maker.make(key));
            mounts.put(key, shared);
        }
        shared.users++;
        return new Part(this, key, shared.mount);
    }

    private static ClosableMount make(Key key) throws IOException {
        MountFactory factory = ServiceLoader.load(MountFactory.class, SharedMounts.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IOException("there is no NFS client on the class path: the artifact"
                        + " io.verbena:verbena-standalone brings it, or the jar verbena-hadoop-VERSION-all.jar"));
        key.options().note().ifPresent(note -> LOG.warn("{}: {}", key.server(), note));
        try {
            return factory.mount(key.server() + ":" + ROOT, key.server(), ROOT, key.options(), key.subject());
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void release(Part part) {
        ClosableMount last = null;
        synchronized (this) {
            Shared shared = mounts.get(part.key);
            if (shared != null && shared.mount == part.mount) {
                shared.users--;
                boolean isLeft = hooked && isProcessEnding.getAsBoolean(); // file systems are closed one by one
                if (shared.users == 0 && !isLeft) {
                    mounts.remove(part.key);
                    last = shared.mount;
                }
            }
        }
        if (last != null) {
            last.close();
        }
    }

    /** Ends all mounts side by side: each may wait for its server. */
    void closeAll() {
        List<Shared> all;
        synchronized (this) {
            all = new ArrayList<>(mounts.values());
            mounts.clear();
        }
        List<Thread> threads = new ArrayList<>();
        for (Shared each : all) {
            Thread thread = new Thread(() -> close(each.mount), "verbena-unmount");
            try {
                thread.start();
                threads.add(thread);
            } catch (Throwable e) { // no memory for a thread
                close(each.mount);
            }
        }
        awaitEnd(threads);
    }

    private static void close(ClosableMount mount) {
        try {
            mount.close();
        } catch (Throwable e) {
            LOG.warn("{} has not ended in order: {}", mount.name(), e.toString(), e);
        }
    }

    private static void awaitEnd(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    threads.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
