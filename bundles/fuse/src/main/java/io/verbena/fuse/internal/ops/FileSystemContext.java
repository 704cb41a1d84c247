package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenFile;
import io.verbena.fuse.internal.file.OpenFiles;
import io.verbena.fuse.internal.kernel.Device;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.Node;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.fuse.internal.node.StalePages;
import io.verbena.nfs.Mount;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all operations of one mount share. Thread safe. */
public final class FileSystemContext {
    private static final Logger LOG = LoggerFactory.getLogger(FileSystemContext.class);

    private final Runtime runtime;
    private final PresentMount mount;
    private final NodeTable nodes = new NodeTable();
    private final OpenFiles files;
    private final Device device;
    private final Executor executor;
    private final StalePages pages;
    private final AttributeCodec attributes;
    private final Identity identity;

    /** Held for writing while a rename changes paths, for reading by all that use a path. */
    private final ReadWriteLock paths = new ReentrantReadWriteLock();

    private volatile boolean mapsDirectFiles;
    private volatile IOException lostData;

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
        this.pages = new StalePages(executor, device);
        this.attributes = new AttributeCodec(valid);
        this.identity = new Identity(uid, gid, gives);
    }

    /** @param maps whether the kernel can map files that do without its pages */
    void initialize(boolean maps) {
        mapsDirectFiles = maps;
    }

    boolean mapsDirectFiles() {
        return mapsDirectFiles;
    }

    /** A step that uses or changes paths. */
    interface Step<T> {
        T run() throws IOException, InterruptedException;
    }

    /**
     * Makes a call on the present mount that sees the writes to a node, also those that a replacement has delayed.
     *
     * @param node null where the object is not known
     */
    <T> T behindWrites(Node node, PresentMount.Call<T> call) throws IOException, InterruptedException {
        NodeFile shared = node == null ? null : files.shared(node);
        if (shared == null) {
            return mount.call(call);
        }
        while (true) {
            Mount before = mount.now();
            if (!shared.isUnsettled(before)) {
                T result = mount.call(call);
                if (mount.now() == before) {
                    return result;
                }
            }
            shared.awaitWrites(runtime);
        }
    }

    /** Ends the use of a file. A failure is kept for who unmounts. */
    void release(OpenFile file) {
        try {
            file.release();
        } catch (IOException e) {
            lost(file, e);
        }
    }

    /** As {@link #release}, of a use for a moment. A killed program does not wait for the close. */
    void leave(OpenFile file) {
        if (!Thread.currentThread().isInterrupted()) {
            release(file);
            return;
        }
        try {
            executor.execute(() -> release(file));
        } catch (RejectedExecutionException e) { // the mount has ended
            release(file);
        }
    }

    /** A step that may block. */
    interface Task {
        void run() throws IOException;
    }

    /** Executes a task on a thread that may block. */
    void later(Consumer<Throwable> onThrown, Task task) {
        try {
            executor.execute(() -> {
                try {
                    task.run();
                } catch (Throwable e) {
                    onThrown.accept(e);
                }
            });
        } catch (Throwable e) { // the mount has ended
            onThrown.accept(e);
        }
    }

    /** What was written is not at the server, and no program is told. */
    void lost(OpenFile file, IOException e) {
        if (file.isWritable()) {
            LOG.warn("what was written to a file of this mount may be lost: {}", e.getMessage(), e);
            lostData = e;
        }
    }

    /** The last failure that no program was told; null if there is none. */
    IOException lostData() {
        return lostData;
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

    StalePages pages() {
        return pages;
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

    /** A step that uses the path of a node. */
    interface PathStep<T> {
        T at(String path) throws IOException, InterruptedException;
    }

    /**
     * Runs a step at the path of a node. Where nothing is there any more, the kernel has to look the name up again, as
     * the node may have another one (ESTALE).
     */
    <T> T atPath(Node node, PathStep<T> step) throws IOException, InterruptedException {
        return withPaths(() -> {
            try {
                return step.at(nodes.path(node));
            } catch (NoSuchFileException e) {
                throw new Errno.Failure(Errno.ESTALE);
            }
        });
    }

    /** Runs a step that changes paths, alone. */
    <T> T changingPaths(Step<T> step) throws IOException, InterruptedException {
        return locked(paths.writeLock(), () -> {
            nodes.renameBegins();
            try {
                return step.run();
            } finally {
                nodes.renameEnds();
            }
        });
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
