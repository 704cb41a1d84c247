package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenFile;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.node.Node;
import io.verbena.memory.BufferLease;
import io.verbena.nfs.AttributeChanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * WRITE, which occupies no thread. A write is answered at once while few octets are under way; a failure of it is told
 * at the next write, fsync(2) or close(2), as with Linux's NFS client. Thread safe.
 */
final class Writes {
    private static final int WRITE_OUT = 8;

    /** How many octets may be under way that were answered already. */
    private static final long AHEAD = 32L << 20;

    private final FileSystemContext context;
    private final boolean writesThrough;
    private final AtomicLong ahead = new AtomicLong();

    /** @param writesThrough whether every write is answered only when the server has answered it ({@code noac}) */
    Writes(FileSystemContext context, boolean writesThrough) {
        this.context = context;
        this.writesThrough = writesThrough;
    }

    /**
     * Writes.
     *
     * @param memory of the request; this method takes it over
     */
    void write(Request request, BufferLease memory, Operations.Ending ending) throws IOException {
        boolean taken = false;
        try {
            OpenFile file = context.files().file(request.u64());
            long position = request.u64();
            int size = request.u32();
            int how = request.u32();
            boolean isPage = (how & Protocol.WRITE_CACHE) != 0;
            request.skip(8);
            int flags = request.u32();
            request.skip(4);
            ByteBuffer data = request.rest();
            if (size != data.remaining()) {
                throw new Errno.Failure(Errno.EINVAL);
            }
            NodeFile shared = context.files().shared(file.node());
            requireLocks(shared, file);
            if (!isPage) {
                file.throwFailure();
            }
            boolean appends = (flags & Protocol.O_APPEND) != 0 && !isPage;
            boolean removesSetId =
                    (how & Protocol.WRITE_KILL_SUIDGID) != 0 && file.node().mayHaveSetId();
            // who begins on another thread answers at the end: an fsync(2) behind the answer has to know of the write
            boolean waits = appends || isPage || removesSetId;
            Write write = new Write(file, shared, data, memory, position, appends, waits, ending);
            taken = true;
            if (removesSetId) {
                context.later(write::fail, write::beginWithoutSetId);
            } else {
                write.begin();
            }
        } finally {
            if (!taken && memory != null) {
                memory.close();
            }
        }
    }

    /** Fails a write where a lock is lost; the kernel keeps a page that it could not write. */
    private void requireLocks(NodeFile shared, OpenFile file) throws IOException {
        try {
            shared.requireLocks(file);
        } catch (IOException e) {
            context.pages().drop(file.node());
            throw e;
        }
    }

    /** Whether a write of who has no right to keep set-id bits removes one; a group that may not execute keeps its. */
    private static boolean hasSetId(int mode) {
        int ofGroup = Protocol.S_ISGID | Protocol.S_IXGRP;
        return (mode & Protocol.S_ISUID) != 0 || (mode & ofGroup) == ofGroup;
    }

    private static int withoutSetId(int mode) {
        int kept = mode & ~Protocol.S_ISUID;
        return (mode & Protocol.S_IXGRP) != 0 ? kept & ~Protocol.S_ISGID : kept;
    }

    /** One WRITE, with its memory. */
    private final class Write {
        private final OpenFile file;
        private final NodeFile shared;
        private final ByteBuffer data;
        private final int size;
        private final BufferLease memory;
        private final long position;
        private final boolean appends;
        private final boolean waits;
        private final Operations.Ending ending;

        /** @param waits whether it is answered only when the server has answered, whatever the file's flags are */
        Write(
                OpenFile file,
                NodeFile shared,
                ByteBuffer data,
                BufferLease memory,
                long position,
                boolean appends,
                boolean waits,
                Operations.Ending ending) {
            this.file = file;
            this.shared = shared;
            this.data = data;
            this.size = data.remaining();
            this.memory = memory;
            this.position = position;
            this.appends = appends;
            this.waits = waits;
            this.ending = ending;
        }

        /** Fails before it has begun. */
        void fail(Throwable thrown) {
            try {
                if (memory != null) {
                    memory.close();
                }
            } finally {
                ending.fail(thrown);
            }
        }

        /** The server does not remove the bits: it is asked as root. */
        void beginWithoutSetId() throws IOException {
            Node node = file.node();
            int seen = node.setIdSeen();
            int mode = file.attributes().mode();
            if (hasSetId(mode)) {
                AttributeChanges change = AttributeChanges.NONE.withMode(withoutSetId(mode));
                node.seen(file.call(present -> present.setAttributes(change)));
                context.device().invalidateAttributes(node.id());
            }
            node.setIdGone(seen);
            begin();
        }

        void begin() {
            Consumer<Throwable> end;
            CompletableFuture<Long> written;
            try {
                end = answering();
            } catch (Throwable e) {
                fail(e);
                return;
            }
            try {
                written = shared.write(file, data, memory, appends ? -1 : position);
            } catch (Throwable e) {
                end.accept(e); // it may be answered already: the next call tells the failure
                return;
            }
            Futures.whenDone(written, end, (at, thrown) -> {
                end.accept(thrown);
                if (thrown == null && ((appends && at != position) || (file.isDirect() && shared.hasPages()))) {
                    // another client has made the file longer, or a write has passed pages by that were read meanwhile
                    context.pages().drop(file.node());
                }
            });
        }

        /** Answers now, or returns who answers at the end. */
        private Consumer<Throwable> answering() {
            boolean isAhead = false;
            if (!waits && !writesThrough && !file.writesThrough()) {
                isAhead = ahead.addAndGet(size) <= AHEAD;
                if (!isAhead) {
                    ahead.addAndGet(-size);
                }
            }
            if (isAhead) {
                ending.answer(written(size));
                return thrown -> {
                    ahead.addAndGet(-size);
                    if (thrown != null) {
                        file.failed(thrown);
                    }
                };
            }
            return thrown -> {
                if (thrown == null) {
                    ending.answer(written(size));
                } else {
                    context.pages().drop(file.node()); // the kernel keeps a page that it could not write
                    ending.fail(thrown);
                }
            };
        }
    }

    private static Reply written(int size) {
        return new Reply(WRITE_OUT).u32(size).u32(0);
    }
}
