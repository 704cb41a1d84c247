package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenFile;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.node.Node;
import io.verbena.nfs.CreateVerifier;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operations on open files that may block: OPEN, CREATE, FLUSH, FSYNC and RELEASE. Thread safe. */
final class FileOperations {
    private static final Logger LOG = LoggerFactory.getLogger(FileOperations.class);
    private static final int OPEN_OUT = 16;
    private static final int MODE_BITS = 07777;

    private final FileSystemContext context;
    private final NameOperations names;

    FileOperations(FileSystemContext context, NameOperations names) {
        this.context = context;
        this.names = names;
    }

    /** A file that the present mount has opened. */
    private record Opened(Mount mount, RemoteFile file) {}

    /** A file that is the one that the kernel means. */
    private record Checked(Opened opened, FileAttributes attributes) {}

    Reply open(Request request) throws IOException, InterruptedException {
        Node node = context.nodes().get(request.node());
        int flags = request.u32();
        boolean truncates = (flags & Protocol.O_TRUNC) != 0;
        Set<OpenOption> options = OpenFile.options(flags);
        if (truncates) {
            options.add(StandardOpenOption.WRITE);
            settle(node); // writes that a replaced mount has delayed would come behind the truncation
        }
        Checked checked = context.atPath(
                node, path -> context.mount().call(mount -> openChecked(mount, path, options, node, truncates)));
        Opened opened = checked.opened();
        long handle = context.files().add(opened(node, flags, opened));
        if (!node.isTold(checked.attributes().change())) {
            context.device().invalidateAttributes(node.id()); // the size that the program sees is the present one
        }
        return putOpen(new Reply(OPEN_OUT), handle, node, flags, checked.attributes());
    }

    private OpenFile opened(Node node, int flags, Opened opened) {
        return new OpenFile(
                context.mount(), context.nodes(), node, flags, opened.mount(), opened.file(), context.pages());
    }

    private void settle(Node node) throws InterruptedException {
        NodeFile shared = context.files().shared(node);
        if (shared != null) {
            shared.awaitWrites(context.runtime());
        }
    }

    /** Opens a file. One that is another than the kernel means stays as it is. */
    private static Checked openChecked(Mount mount, String path, Set<OpenOption> options, Node node, boolean truncates)
            throws IOException {
        RemoteFile file = mount.open(path, options, 0);
        boolean done = false;
        try {
            FileAttributes attributes = file.attributes();
            if (!node.is(attributes)) {
                throw new Errno.Failure(Errno.ESTALE);
            }
            if (truncates) {
                file.truncate(0);
            }
            done = true;
            return new Checked(new Opened(mount, file), attributes);
        } finally {
            if (!done) {
                closeQuietly(file);
            }
        }
    }

    private Reply putOpen(Reply reply, long handle, Node node, int flags, FileAttributes attributes) {
        boolean keeps =
                node.isUnchanged(attributes.change()) && context.attributes().mayKeepPages();
        int how = keeps ? Protocol.FOPEN_KEEP_CACHE : 0;
        boolean isDirect = (flags & Protocol.O_DIRECT) != 0 && (flags & Protocol.O_ACCMODE) != 0;
        if (isDirect && context.mapsDirectFiles()) { // else one write at a time
            how |= Protocol.FOPEN_DIRECT_IO | Protocol.FOPEN_PARALLEL_DIRECT_WRITES;
        }
        return reply.u64(handle).u32(how).u32(0);
    }

    /**
     * Creates a file. The kernel knows of none: it has asked nobody whether this user may open one that another client
     * has made since, and looks it up where it has to (ESTALE).
     */
    Reply create(Request request) throws IOException, InterruptedException {
        Node directory = context.nodes().get(request.node());
        int flags = request.u32();
        int mode = request.u32() & MODE_BITS;
        request.skip(8);
        String name = request.name();
        Set<OpenOption> options = OpenFile.options(flags);
        options.add(StandardOpenOption.WRITE); // the client creates no file that is only read
        options.add(new CreateVerifier(context.runtime().random().nextLong()));
        int firstMode = context.identity().firstMode(request, mode);
        return context.withPaths(() -> {
            String path = context.nodes().path(directory, name);
            Opened opened = create(path, directory, options, firstMode, (flags & Protocol.O_EXCL) != 0);
            boolean done = false;
            try {
                FileAttributes made = names.given(request, directory, name, path, opened.file(), mode);
                Node node = context.nodes().found(directory, name, made);
                long handle = context.files().add(opened(node, flags, opened));
                Reply reply = new Reply(Protocol.ENTRY_OUT + OPEN_OUT);
                context.attributes().putEntry(reply, node, made);
                done = true;
                return putOpen(reply, handle, node, flags, made);
            } finally {
                if (!done) {
                    closeQuietly(opened.file());
                }
            }
        });
    }

    private Opened create(String path, Node directory, Set<OpenOption> options, int mode, boolean isExclusive)
            throws IOException {
        try {
            return context.mount()
                    .call(mount -> new Opened(mount, mount.open(path, directory.fileKey(), options, mode)));
        } catch (FileAlreadyExistsException | UndecidedException e) {
            if (isExclusive) {
                throw e;
            }
            throw new Errno.Failure(Errno.ESTALE);
        }
    }

    /** Closes a file to which nothing was written. */
    static void closeQuietly(RemoteFile file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("a file that was not used could not be closed", e);
        }
    }

    /** The end of close(2): what was written is on stable storage then. {@link #unlock} follows. */
    Reply flush(Request request) throws IOException, InterruptedException {
        OpenFile file = context.files().file(request.u64());
        if (file.isWritable()) {
            commitAll(file); // the kernel writes pages that a program has mapped by any open
            file.throwFailureAtClose();
        } else {
            syncAtEnd(file);
        }
        return Reply.empty();
    }

    /**
     * The POSIX locks of a process go, as it has closed the file. The RELEASE may have come before a FLUSH that was
     * cancelled, and has removed them then.
     */
    void unlock(Request flush) throws IOException, InterruptedException {
        flush.rest().rewind();
        OpenFile file = context.files().file(flush.u64());
        long owner = flush.skip(8).u64();
        if (file.use()) {
            try {
                NodeFile shared = context.files().shared(file.node());
                if (shared != null) {
                    shared.locks().removeOfProcess(file, owner, flush.arrival());
                }
            } finally {
                context.leave(file);
            }
        }
    }

    Reply sync(Request request) throws IOException, InterruptedException {
        OpenFile file = context.files().file(request.u64());
        commitAll(file);
        file.throwAnyFailure();
        return Reply.empty();
    }

    /** Brings to stable storage what was written to the file, by whichever open. */
    private void commitAll(OpenFile file) throws IOException, InterruptedException {
        NodeFile shared = context.files().shared(file.node());
        if (shared == null) {
            file.commit(file.written());
        } else {
            shared.commit(context.runtime(), file, context::leave);
        }
    }

    private void syncAtEnd(OpenFile file) throws IOException, InterruptedException {
        NodeFile shared = context.files().shared(file.node());
        long until = file.written();
        if (shared != null) {
            shared.awaitWrites(context.runtime());
        }
        file.syncAtEnd(until);
    }

    Reply release(Request request) throws IOException, InterruptedException {
        release(request.u64());
        return Reply.empty();
    }

    /**
     * Closes a file whose handle the kernel does not have any more, and removes its locks. A failure is kept for who
     * unmounts.
     */
    void release(long handle) throws InterruptedException {
        OpenFile file = context.files().file(handle);
        NodeFile shared = context.files().shared(file.node());
        try {
            syncAtEnd(file);
        } catch (IOException e) {
            context.lost(file, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the close does not wait for the server either
            throw e;
        } finally {
            try {
                removeLocks(file, shared, handle); // first: who opens the file meanwhile has to know of them
            } finally {
                if (context.files().remove(handle)) {
                    context.release(file);
                }
            }
        }
    }

    /** Removes the locks that the open file owns (flock(2), F_OFD_SETLK), or that a cancelled close(2) has left. */
    private void removeLocks(OpenFile file, NodeFile shared, long handle) {
        try {
            if (shared != null) {
                shared.locks().removeOfOpen(file, handle);
            }
        } catch (IOException e) {
            LOG.warn("a lock of a file that was closed may be left at the server: {}", e.getMessage(), e);
        }
    }
}
