package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.Node;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A file as one open(2) has opened it. If the mount of the server is replaced, the file is opened again by its path.
 * Thread safe.
 */
public final class OpenFile {
    private static final int MAX_REPLACEMENTS = 10;

    private final PresentMount mount;
    private final NodeTable nodes;
    private final Node node;
    private final int flags;

    /** The first failure of a write that was answered before it was done, until a program is told. */
    private final AtomicReference<IOException> failure = new AtomicReference<>();

    private volatile RemoteFile file;
    /** Whether there may be written data that is not on stable storage. */
    private volatile boolean dirty;
    /** Whether a replaced mount has taken locks away. */
    private volatile boolean locksLost;

    /** Changed under the monitor. */
    private volatile Mount openOn;

    /** The open(2) itself, and each lock that was obtained by this file. */
    @GuardedBy("this")
    private int users = 1;

    /**
     * An open file.
     *
     * @param openOn the mount that has opened it
     * @param flags of open(2)
     */
    public OpenFile(PresentMount mount, NodeTable nodes, Node node, int flags, Mount openOn, RemoteFile file) {
        this.mount = mount;
        this.nodes = nodes;
        this.node = node;
        this.flags = flags;
        this.openOn = openOn;
        this.file = file;
    }

    /** An operation on the file of the present mount, which may be made again. */
    @FunctionalInterface
    public interface Call<T> {
        T on(RemoteFile file) throws IOException;
    }

    /** The options of the client's open for the flags of open(2), without those that create or truncate. */
    public static Set<OpenOption> options(int flags) {
        Set<OpenOption> options = new HashSet<>();
        int access = flags & Protocol.O_ACCMODE;
        if (access != Protocol.O_WRONLY) {
            options.add(StandardOpenOption.READ);
        }
        if (access == Protocol.O_WRONLY || access == Protocol.O_RDWR) {
            options.add(StandardOpenOption.WRITE);
        }
        if ((flags & Protocol.O_SYNC) != 0) {
            options.add(StandardOpenOption.SYNC);
        } else if ((flags & Protocol.O_DSYNC) != 0) {
            options.add(StandardOpenOption.DSYNC);
        }
        return options;
    }

    public Node node() {
        return node;
    }

    public boolean isWritable() {
        int access = flags & Protocol.O_ACCMODE;
        return access == Protocol.O_WRONLY || access == Protocol.O_RDWR;
    }

    /** The mount by which the file is open. */
    Mount mount() {
        return openOn;
    }

    /** Whether a write is answered only when the server has answered it. */
    public boolean writesThrough() {
        return (flags & (Protocol.O_SYNC | Protocol.O_DSYNC | Protocol.O_DIRECT)) != 0;
    }

    /** The file of the present mount. */
    public RemoteFile now() {
        return file;
    }

    void wrote() {
        dirty = true;
    }

    /** A write has failed that was answered before. */
    public void failed(Throwable thrown) {
        Throwable cause = Futures.unwrap(thrown);
        boolean unused = failure.compareAndSet(null, cause instanceof IOException e ? e : new IOException(cause));
    }

    /** Throws the failure of an earlier write, once. */
    public void throwFailure() throws IOException {
        IOException thrown = failure.getAndSet(null);
        if (thrown != null) {
            throw thrown;
        }
    }

    boolean hasLostLocks() {
        return locksLost;
    }

    /** Executes an operation, and again after each replacement of the mount. */
    public <T> T call(Call<T> call) throws IOException {
        for (int replacements = 0; ; replacements++) {
            RemoteFile present = file;
            try {
                return call.on(present);
            } catch (IOException e) {
                if (PresentMount.replacement(e).isEmpty() || replacements == MAX_REPLACEMENTS) {
                    throw e;
                }
                reopen(present);
            }
        }
    }

    public FileAttributes attributes() throws IOException {
        return call(RemoteFile::attributes);
    }

    /** Brings written data to stable storage, and throws the failure of an earlier write. */
    public void sync() throws IOException {
        if (isWritable() && dirty) {
            dirty = false;
            boolean done = false;
            try {
                boolean unused = call(present -> {
                    present.sync();
                    return true;
                });
                done = true;
            } finally {
                dirty |= !done;
            }
        }
        throwFailure();
    }

    /** Opens the file again on the mount that has replaced the one of {@code gone}, where no other thread has. */
    public synchronized void reopen(RemoteFile gone) throws IOException {
        if (file != gone) {
            return;
        }
        Mount next = mount.successor(openOn);
        try {
            gone.close();
        } catch (IOException e) {
            if (dirty) {
                failed(new IOException("written data may be lost: the mount was replaced before it was safe", e));
            }
        }
        for (int replacements = 0; ; replacements++) {
            try {
                openOn(next);
                return;
            } catch (IOException e) {
                if (PresentMount.replacement(e).isEmpty() || replacements == MAX_REPLACEMENTS) {
                    throw e;
                }
                next = mount.successor(next);
            }
        }
    }

    @GuardedBy("this")
    private void openOn(Mount next) throws IOException {
        RemoteFile opened = next.open(nodes.path(node), options(flags), 0);
        boolean taken = false;
        try {
            if (!node.is(opened.attributes())) {
                throw new Errno.Failure(Errno.ESTALE);
            }
            openOn = next; // first: who takes the new file knows that its mount is new
            file = opened;
            locksLost |= users > 1;
            taken = true;
        } finally {
            if (!taken) {
                opened.close();
            }
        }
    }

    synchronized void use() {
        users++;
    }

    /** One user less; the last one closes the file, which brings written data to stable storage. */
    public void release() throws IOException {
        synchronized (this) {
            if (--users > 0) {
                return;
            }
        }
        RemoteFile last = file;
        try {
            last.close();
        } catch (IOException e) {
            if (dirty || PresentMount.replacement(e).isEmpty()) {
                throw e;
            }
        }
        throwFailure();
    }
}
