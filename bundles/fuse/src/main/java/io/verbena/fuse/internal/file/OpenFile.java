package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.Node;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.fuse.internal.node.StalePages;
import io.verbena.fuse.internal.node.WriteFailures;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file as one open(2) has opened it. If the mount of the server is replaced, the file is opened again by its path.
 * Thread safe.
 */
public final class OpenFile {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFile.class);
    private static final int MAX_REPLACEMENTS = 10;
    private static final int MAX_RENAMES = 10;

    private final PresentMount mount;
    private final NodeTable nodes;
    private final Node node;
    private final int flags;
    private final StalePages pages;

    private final WriteFailures.Listener failures;

    /** Written under the monitor. */
    private volatile RemoteFile file;
    /** How many writes there were. */
    private final AtomicLong written = new AtomicLong();
    /** How many of the first writes are on stable storage, or their loss is reported. */
    private final AtomicLong safe = new AtomicLong();
    /** Whether a replaced mount has taken locks away. */
    private volatile boolean locksLost;

    /** Written under the monitor. */
    private volatile Mount openOn;

    /** The arrival of the request that tells of the end of this open. */
    private volatile long closedAt = Long.MAX_VALUE;

    /** Completed when the thread that opens the file again has ended that; null where none does. */
    @GuardedBy("this")
    private CompletableFuture<Void> reopening;

    /** The open(2) itself, each lock that was obtained by this file, and who uses it for a moment. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** How many of the users are locks. */
    private final AtomicInteger locked = new AtomicInteger();

    /**
     * An open file.
     *
     * @param openOn the mount that has opened it
     * @param flags of open(2)
     * @param pages takes those with data that is lost
     */
    public OpenFile(
            PresentMount mount,
            NodeTable nodes,
            Node node,
            int flags,
            Mount openOn,
            RemoteFile file,
            StalePages pages) {
        this.mount = mount;
        this.nodes = nodes;
        this.node = node;
        this.flags = flags;
        this.openOn = openOn;
        this.file = file;
        this.pages = pages;
        this.failures = node.writeFailures().listen();
    }

    /** The file has no name here any more, so that the next mount cannot open it. The former mount has closed it. */
    private static final class NoPathException extends NfsException {
        private static final long serialVersionUID = 1L;

        NoPathException(Throwable cause) {
            super(null, "NFS4ERR_STALE", "the mount was replaced, and the file has no name there");
            initCause(cause);
        }
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

    /** Whether the mode of this open fits a lock. */
    boolean mayLock(boolean exclusive) {
        return exclusive ? isWritable() : (flags & Protocol.O_ACCMODE) != Protocol.O_WRONLY;
    }

    /** The mount by which the file is open. */
    public Mount mount() {
        return openOn;
    }

    /** Whether another mount has taken the place of that one, as far as this host knows. */
    boolean isReplaced(Mount one) {
        return mount.now() != one;
    }

    /** Whether reads and writes pass the kernel's pages by. */
    public boolean isDirect() {
        return (flags & Protocol.O_DIRECT) != 0;
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
        written.incrementAndGet();
    }

    /** Whether there may be written data that is not on stable storage. */
    boolean isDirty() {
        return written.get() != safe.get();
    }

    /** A write has failed that was answered before. The kernel has pages with its data. */
    public void failed(Throwable thrown) {
        pages.drop(node);
        Throwable cause = Futures.unwrap(thrown);
        failures.add(cause instanceof IOException e ? e : new IOException(cause));
    }

    /** Throws the failure of an earlier write by this open, once. */
    public void throwFailure() throws IOException {
        failures.throwOwn();
    }

    /** As {@link #throwFailure}, of a write by any open of the file. */
    public void throwAnyFailure() throws IOException {
        failures.throwAny();
    }

    /** Throws the failure of a write by any open of the file since this one began, for close(2). */
    public void throwFailureAtClose() throws IOException {
        failures.throwAtClose();
    }

    /**
     * Whether a call has failed since this open is of no use: a lock was lost by it, or it cannot be opened again. What
     * needs no lock may be done by another one.
     */
    static boolean isUseless(IOException failure) {
        return failure instanceof NoPathException
                || (failure instanceof NfsException e && e.status().equals("NFS4ERR_RECLAIM_CONFLICT"));
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

    /** How many writes there were. */
    public long written() {
        return written.get();
    }

    /**
     * Brings written data to stable storage at the end of this open, and throws the failure of a write by it that no
     * program was told. No program is told by that either.
     *
     * @param until how many of the writes have an outcome
     */
    public void syncAtEnd(long until) throws IOException {
        commit(until);
        failures.throwUntold();
    }

    /**
     * Brings written data to stable storage. Every open of the file knows of a failure then.
     *
     * @param until how many of the writes have an outcome
     */
    public void commit(long until) throws InterruptedIOException {
        if (!isWritable() || !isDirty()) {
            return;
        }
        try {
            boolean unused = call(present -> {
                present.sync();
                return true;
            });
        } catch (NoPathException e) {
            LOG.debug("what was written is safe, or its loss was told, since the former mount has closed the file", e);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            failed(e);
            return;
        }
        safe.accumulateAndGet(until, Math::max); // not before: a replacement in between tells by it what is lost
    }

    /** Opens the file again where its mount was replaced, and others know that already. */
    public void follow() throws IOException {
        RemoteFile present = file;
        if (isReplaced(openOn)) {
            reopen(present);
        }
    }

    /** Opens the file again on the mount that has replaced the one of {@code gone}, where no other thread has. */
    public void reopen(RemoteFile gone) throws IOException {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        for (CompletableFuture<Void> other = begin(gone, mine); other != mine; other = begin(gone, mine)) {
            if (other == null) {
                return;
            }
            await(other);
        }
        try {
            reopenNow(gone);
        } finally {
            synchronized (this) {
                reopening = null;
            }
            mine.complete(null);
        }
    }

    /**
     * Begins to open the file again. One thread does so, without the monitor, and the others wait for that one.
     *
     * @return {@code mine} for the calling thread to do it, the end of what another thread does, or null where the file
     *     is open again
     */
    private synchronized CompletableFuture<Void> begin(RemoteFile gone, CompletableFuture<Void> mine)
            throws ClosedChannelException {
        if (file != gone) {
            return null;
        }
        if (users.get() == 0) {
            throw new ClosedChannelException();
        }
        if (reopening == null) {
            reopening = mine;
        }
        return reopening;
    }

    private static void await(CompletableFuture<Void> end) throws InterruptedIOException {
        try {
            Void unused = end.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while a file is opened again");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            throw new IllegalStateException("it never fails", e);
        }
    }

    private void reopenNow(RemoteFile gone) throws IOException {
        Mount next = mount.successor(openOn);
        try {
            gone.close();
        } catch (InterruptedIOException e) { // whoever uses the file next is told the outcome
            throw e;
        } catch (IOException e) {
            if (isDirty()) {
                failed(new IOException("written data may be lost: the mount was replaced before it was safe", e));
            }
        }
        for (int replacements = 0; ; replacements++) {
            try {
                openOn(next);
                return;
            } catch (NoSuchFileException | Errno.Failure e) {
                throw new NoPathException(e);
            } catch (IOException e) {
                if (PresentMount.replacement(e).isEmpty() || replacements == MAX_REPLACEMENTS) {
                    throw e;
                }
                next = mount.successor(next);
            }
        }
    }

    private void openOn(Mount next) throws IOException {
        for (int renames = 0; ; renames++) {
            String path = nodes.path(node);
            try {
                openAt(path, next);
                return;
            } catch (IOException | Errno.Failure e) {
                if (PresentMount.replacement(e).isPresent() || renames == MAX_RENAMES) {
                    throw e;
                }
                nodes.awaitRename(); // which the server has done, and the table does not have yet
                if (nodes.path(node).equals(path)) {
                    throw e;
                }
            }
        }
    }

    private void openAt(String path, Mount next) throws IOException {
        RemoteFile opened = next.open(path, options(flags), 0);
        boolean taken = false;
        try {
            if (!node.is(opened.attributes())) {
                throw new Errno.Failure(Errno.ESTALE);
            }
            take(next, opened);
            taken = true;
        } finally {
            if (!taken) {
                opened.close();
            }
        }
    }

    /** Goes on by the file that was opened again, unless the last user has released it meanwhile. */
    private synchronized void take(Mount next, RemoteFile opened) throws ClosedChannelException {
        if (users.get() == 0) {
            throw new ClosedChannelException();
        }
        openOn = next; // first: who takes the new file knows that its mount is new
        file = opened;
        locksLost |= locked.get() > 0;
    }

    /**
     * No program has this open any more: {@link #release} follows. Does not block.
     *
     * @param arrival of the request that tells so
     */
    void closed(long arrival) {
        closedAt = arrival;
    }

    /** Whether no program had this open any more when a request arrived. */
    boolean isClosedBefore(long arrival) {
        return closedAt < arrival;
    }

    /** One user more, who calls {@link #release}; false where the last one has released the file. Does not block. */
    public boolean use() {
        int before = users.get();
        while (before > 0 && !users.compareAndSet(before, before + 1)) {
            before = users.get();
        }
        return before > 0;
    }

    /** As {@link #use}, of a lock, which ends by {@link #unlock}. */
    boolean lock() {
        boolean used = use();
        if (used) {
            locked.incrementAndGet();
        }
        return used;
    }

    void unlock() throws IOException {
        locked.decrementAndGet();
        release();
    }

    /** One user less; the last one closes the file, which brings written data to stable storage. */
    public void release() throws IOException {
        if (users.decrementAndGet() > 0) {
            return;
        }
        RemoteFile last = last();
        try {
            last.close();
        } catch (IOException e) {
            if (e instanceof InterruptedIOException
                    || (!isDirty() && PresentMount.replacement(e).isEmpty())) {
                throw e;
            }
            if (isDirty()) {
                failed(e);
            }
        }
        failures.throwUntold();
    }

    /** The file, which no other one replaces any more: nobody uses it. */
    private synchronized RemoteFile last() {
        return file;
    }
}
