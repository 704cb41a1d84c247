package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.OpenFiles;
import io.verbena.fuse.internal.kernel.Device;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** What all operations of one mount share. Thread safe. */
public final class FileSystemContext {
    private final Runtime runtime;
    private final PresentMount mount;
    private final NodeTable nodes = new NodeTable();
    private final OpenFiles files;
    private final Device device;
    private final Executor executor;
    private final AttributeCodec attributes;
    private final Identity identity;

    /** Held for writing while a rename changes paths, for reading by all that use a path. */
    private final ReadWriteLock paths = new ReentrantReadWriteLock();

    /**
     * What operations share.
     *
     * @param executor of tasks that may block
     * @param valid how long the kernel may use names and attributes without asking
     * @param uid the user of the mount's calls
     * @param gid the group of the mount's calls
     * @param gives whether new objects are given to the users who make them
     */
    public FileSystemContext(
            Runtime runtime,
            PresentMount mount,
            Device device,
            Executor executor,
            Duration valid,
            int uid,
            int gid,
            boolean gives) {
        this.runtime = runtime;
        this.mount = mount;
        this.device = device;
        this.executor = executor;
        this.files = new OpenFiles(runtime, executor);
        this.attributes = new AttributeCodec(valid);
        this.identity = new Identity(uid, gid, gives);
    }

    /** A step that uses or changes paths. */
    interface Step<T> {
        T run() throws IOException, InterruptedException;
    }

    Runtime runtime() {
        return runtime;
    }

    PresentMount mount() {
        return mount;
    }

    public NodeTable nodes() {
        return nodes;
    }

    public OpenFiles files() {
        return files;
    }

    Device device() {
        return device;
    }

    Executor executor() {
        return executor;
    }

    AttributeCodec attributes() {
        return attributes;
    }

    Identity identity() {
        return identity;
    }

    /** Runs a step while no path changes. */
    <T> T withPaths(Step<T> step) throws IOException, InterruptedException {
        return locked(paths.readLock(), step);
    }

    /** Runs a step that changes paths, alone. */
    <T> T changingPaths(Step<T> step) throws IOException, InterruptedException {
        return locked(paths.writeLock(), step);
    }

    private static <T> T locked(Lock lock, Step<T> step) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            return step.run();
        } finally {
            lock.unlock();
        }
    }
}
