package io.verbena.fuse.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Device;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kernel's pages that are not those of the file. One task at a time has the pages of a node dropped: the kernel
 * waits for pages in use then, and the READ that uses them may wait for a task itself. Thread safe.
 */
public final class StalePages {
    private static final Logger LOG = LoggerFactory.getLogger(StalePages.class);

    private final Executor executor;
    private final Device device;

    /** The nodes that have a task, and whether pages have become stale since it last told the kernel. */
    @GuardedBy("this")
    private final Map<Node, Boolean> tasks = new HashMap<>();

    /** @param executor of tasks that may block */
    public StalePages(Executor executor, Device device) {
        this.executor = executor;
        this.device = device;
    }

    /** Has the kernel drop the pages of a node, at the next open at the latest. Neither blocks nor throws. */
    public void drop(Node node) {
        node.hasStalePages();
        try {
            if (needsTask(node)) {
                executor.execute(() -> dropNow(node));
            }
        } catch (Throwable e) { // the mount has ended, or the host gives no thread
            end(node);
            LOG.debug("the pages of a file are dropped at its next open", e);
        }
    }

    private synchronized boolean needsTask(Node node) {
        return tasks.put(node, true) == null;
    }

    private void dropNow(Node node) {
        try {
            while (goesOn(node)) {
                device.invalidate(node.id());
            }
        } catch (Throwable e) {
            end(node);
            throw e;
        }
    }

    /** Whether there are stale pages; if not, the task ends. */
    private synchronized boolean goesOn(Node node) {
        boolean areStale = tasks.replace(node, true, false);
        if (!areStale) {
            tasks.remove(node);
        }
        return areStale;
    }

    private synchronized void end(Node node) {
        tasks.remove(node);
    }
}
