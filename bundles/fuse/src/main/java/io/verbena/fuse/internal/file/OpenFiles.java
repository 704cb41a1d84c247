package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.node.Node;
import io.verbena.runtime.Runtime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** The open files and directories of a mount, by the handles that the kernel has. Thread safe. */
public final class OpenFiles {
    private final Runtime runtime;
    private final Executor executor;

    @GuardedBy("this")
    private final Map<Long, Object> byHandle = new HashMap<>();

    @GuardedBy("this")
    private final Map<Node, NodeFile> byNode = new HashMap<>();

    @GuardedBy("this")
    private long lastHandle;

    /** @param executor of tasks that may block */
    public OpenFiles(Runtime runtime, Executor executor) {
        this.runtime = runtime;
        this.executor = executor;
    }

    /** Adds a file, and returns its handle. */
    public synchronized long add(OpenFile file) {
        byNode.computeIfAbsent(file.node(), node -> new NodeFile(executor, new NodeLocks(runtime)))
                .add(file);
        return add((Object) file);
    }

    public synchronized long add(OpenDirectory directory) {
        return add((Object) directory);
    }

    @GuardedBy("this")
    private long add(Object open) {
        lastHandle++;
        byHandle.put(lastHandle, open);
        return lastHandle;
    }

    public synchronized OpenFile file(long handle) {
        return find(handle, OpenFile.class);
    }

    public synchronized OpenDirectory directory(long handle) {
        return find(handle, OpenDirectory.class);
    }

    @GuardedBy("this")
    private <T> T find(long handle, Class<T> type) {
        Object open = byHandle.get(handle);
        if (!type.isInstance(open)) {
            throw new Errno.Failure(Errno.EBADF);
        }
        return type.cast(open);
    }

    /** What the opens of a node share; null where it is not open. */
    public synchronized NodeFile shared(Node node) {
        return byNode.get(node);
    }

    /** The kernel tells by a request that no program has a file open any more. Does not block. */
    public synchronized void closed(long handle, long arrival) {
        if (byHandle.get(handle) instanceof OpenFile file) {
            file.closed(arrival);
        }
    }

    /** Removes a handle, and returns whether it was there: the caller releases what it stands for then. */
    public synchronized boolean remove(long handle) {
        Object open = byHandle.remove(handle);
        if (open instanceof OpenFile file) {
            NodeFile shared = byNode.get(file.node());
            if (shared != null && shared.remove(file)) {
                byNode.remove(file.node());
            }
        }
        return open != null;
    }

    /** The handles of all open files. */
    public synchronized List<Long> handles() {
        return new ArrayList<>(byHandle.keySet());
    }

    /** Whether the handle is that of a file. */
    public synchronized boolean isFile(long handle) {
        return byHandle.get(handle) instanceof OpenFile;
    }
}
