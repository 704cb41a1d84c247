package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.memory.BufferLease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All operations of a mount. Thread safe. */
public final class Operations {
    private static final Logger LOG = LoggerFactory.getLogger(Operations.class);

    private final FileSystemContext context;
    private final NameOperations names;
    private final AttributeOperations attributes;
    private final FileOperations files;
    private final DirectoryOperations directories;
    private final LockOperations locks;
    private final Reads reads;
    private final Writes writes;

    /** @param writesThrough whether every write is answered only when the server has answered it */
    public Operations(FileSystemContext context, boolean writesThrough) {
        this.context = context;
        this.names = new NameOperations(context);
        this.attributes = new AttributeOperations(context);
        this.files = new FileOperations(context, names);
        this.directories = new DirectoryOperations(context, attributes);
        this.locks = new LockOperations(context);
        this.reads = new Reads(context);
        this.writes = new Writes(context, writesThrough);
    }

    /**
     * What the kernel can do.
     *
     * @param mapsDirectFiles whether files may be mapped that do without the kernel's pages
     */
    public void initialize(boolean mapsDirectFiles) {
        context.initialize(mapsDirectFiles);
    }

    /** Who is told the end of a READ or WRITE. One of the methods is called, once, on any thread. */
    public interface Ending {
        void answer(Reply reply);

        /**
         * Answers a READ.
         *
         * @param buffer direct; the octets of a header before {@code start} are overwritten
         * @param start of the data, at least the size of the header
         * @param length of the data
         */
        void answer(ByteBuffer buffer, int start, int length);

        void fail(Throwable thrown);
    }

    /**
     * Begins a READ or WRITE; does not block.
     *
     * @param memory of a WRITE, or null; this method takes it over
     */
    public void transfer(Request request, BufferLease memory, Ending ending) {
        try {
            if (request.opcode() == Opcode.READ) {
                reads.read(request, ending);
            } else {
                writes.write(request, memory, ending);
            }
        } catch (Throwable e) {
            ending.fail(e);
        }
    }

    /** Executes any other operation, on a thread that may block. */
    public Reply execute(Request request) throws IOException, InterruptedException {
        return switch (request.opcode()) {
            case LOOKUP -> names.lookUp(request);
            case GETATTR -> attributes.get(request);
            case SETATTR -> attributes.set(request);
            case READLINK -> names.readLink(request);
            case SYMLINK -> names.makeSymbolicLink(request);
            case MKNOD -> names.makeNode(request);
            case MKDIR -> names.makeDirectory(request);
            case UNLINK, RMDIR -> names.remove(request);
            case RENAME -> names.rename(request, false);
            case RENAME2 -> names.rename(request, true);
            case LINK -> names.link(request);
            case OPEN -> files.open(request);
            case CREATE -> files.create(request);
            case FLUSH -> files.flush(request);
            case FSYNC -> files.sync(request);
            case RELEASE -> files.release(request);
            case FSYNCDIR -> Reply.empty(); // the server has answered changes of names when they are stable
            case OPENDIR -> directories.open(request);
            case READDIR -> directories.read(request, false);
            case READDIRPLUS -> directories.read(request, true);
            case RELEASEDIR -> directories.release(request);
            case GETLK -> locks.test(request);
            case SETLK -> locks.set(request, false);
            case SETLKW -> locks.set(request, true);
            case STATFS -> attributes.status(request);
            case ACCESS -> attributes.access(request);
            default -> throw new Errno.Failure(Errno.ENOSYS);
        };
    }

    /** The end of each FLUSH, also of one that has failed or was not executed. */
    public void unlock(Request flush) throws IOException, InterruptedException {
        files.unlock(flush);
    }

    /** A RELEASE has come, which another thread executes: close(2) has returned. Does not block. */
    public void closed(Request release) {
        context.files().closed(release.rest().getLong(0), release.arrival());
    }

    /** The kernel forgets lookups; does not block. */
    public void forget(Request request) {
        if (request.opcode() == Opcode.FORGET) {
            context.nodes().forget(request.node(), request.u64());
            return;
        }
        int count = request.u32();
        request.skip(4);
        for (int i = 0; i < count && request.rest().remaining() >= 16; i++) {
            long node = request.u64();
            context.nodes().forget(node, request.u64());
        }
    }

    /** Closes the files that the kernel has left open when the mount ended. */
    public void closeAll() throws InterruptedException {
        for (long handle : context.files().handles()) {
            try {
                if (context.files().isFile(handle)) {
                    files.release(handle);
                }
            } catch (Errno.Failure e) {
                LOG.debug("closed already", e);
            } catch (InterruptedException e) {
                throw e;
            } catch (Throwable e) {
                LOG.warn("a file of the mount that has ended could not be closed: {}", e.toString(), e);
            }
        }
    }

    /** What was lost and no program was told. */
    public Optional<IOException> lostData() {
        return Optional.ofNullable(context.lostData());
    }
}
