package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenFile;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.Node;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * READ and WRITE, which occupy no thread. A write is answered at once while few octets are under way; a failure of it
 * is told at the next write, fsync(2) or close(2), as with Linux's NFS client. Thread safe.
 */
final class Transfers {
    /** The data begins at a page, and the header of the answer stands before it. */
    private static final int DATA_AT = 4096;

    private static final int WRITE_OUT = 8;
    private static final int MAX_REPLACEMENTS = 10;
    private static final Duration MEMORY_WAIT = Duration.ofMinutes(10);

    /** How many octets may be under way that were answered already. */
    private static final long AHEAD = 32L << 20;

    private final FileSystemContext context;
    private final boolean writesThrough;
    private final AtomicLong ahead = new AtomicLong();

    /** @param writesThrough whether every write is answered only when the server has answered it ({@code noac}) */
    Transfers(FileSystemContext context, boolean writesThrough) {
        this.context = context;
        this.writesThrough = writesThrough;
    }

    void read(Request request, Operations.Ending ending) throws IOException {
        OpenFile file = context.files().file(request.u64());
        long position = request.u64();
        int size = Math.min(request.u32(), Kernel.MAX_TRANSFER);
        NodeFile shared = context.files().shared(file.node());
        shared.requireLocks(file);
        lease(file, position, size, ending, 0);
    }

    /** Leases memory of the present mount, which may be replaced meanwhile. */
    private void lease(OpenFile file, long position, int size, Operations.Ending ending, int replacements) {
        Mount present = context.mount().now();
        CompletableFuture<BufferLease> memory;
        try {
            memory = present.memory().request(DATA_AT + size, MEMORY_WAIT);
        } catch (Throwable e) {
            memory = CompletableFuture.failedFuture(e);
        }
        Futures.whenDone(memory, ending::fail, (lease, thrown) -> {
            if (thrown == null) {
                new Read(file, position, lease, ending).settle();
            } else if (replacements < MAX_REPLACEMENTS && isReplaced(present, thrown)) {
                later(ending::fail, () -> {
                    Mount unused = context.mount().successor(present);
                    lease(file, position, size, ending, replacements + 1);
                });
            } else {
                ending.fail(thrown);
            }
        });
    }

    /** The memory of a mount that ends is refused before another mount is there. */
    private boolean isReplaced(Mount present, Throwable thrown) {
        if (PresentMount.replacement(thrown).isPresent() || context.mount().now() != present) {
            return true;
        }
        try {
            MemoryShare unused = present.memory();
            return false;
        } catch (IOException e) {
            return PresentMount.replacement(e).isPresent();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Executes a step on a thread that may block. */
    private void later(Consumer<Throwable> onThrown, Step step) {
        try {
            context.executor().execute(() -> {
                try {
                    step.run();
                } catch (Throwable e) {
                    onThrown.accept(e);
                }
            });
        } catch (Throwable e) { // the mount has ended
            onThrown.accept(e);
        }
    }

    /** One READ that has memory. */
    private final class Read {
        private final OpenFile file;
        private final long position;
        private final BufferLease lease;
        private final Operations.Ending ending;
        private int replacements;

        Read(OpenFile file, long position, BufferLease lease, Operations.Ending ending) {
            this.file = file;
            this.position = position;
            this.lease = lease;
            this.ending = ending;
        }

        private void fail(Throwable thrown) {
            lease.close();
            ending.fail(thrown);
        }

        /** Reads behind all writes, also those that a replacement of the mount has delayed. */
        void settle() {
            NodeFile shared = context.files().shared(file.node());
            RemoteFile present = file.now(); // first: a file of a later mount would not know the writes that wait
            if (shared == null || !shared.isUnsettled(file.mount())) {
                read(present);
                return;
            }
            Futures.whenDone(
                    shared.answered(),
                    this::fail,
                    (done, thrown) -> later(this::fail, () -> {
                        file.follow();
                        settle();
                    }));
        }

        private void read(RemoteFile present) {
            CompletableFuture<Integer> octets;
            try {
                octets = present.readAsync(lease.buffer().duplicate().position(DATA_AT), position);
            } catch (Throwable e) {
                octets = CompletableFuture.failedFuture(e);
            }
            // a lack of memory leaves the lease where it is: the read may be under way
            Futures.whenDone(octets, ending::fail, (read, thrown) -> {
                if (thrown != null && PresentMount.replacement(thrown).isPresent() && replacements < MAX_REPLACEMENTS) {
                    replacements++;
                    later(this::fail, () -> {
                        file.reopen(present);
                        settle();
                    });
                } else {
                    end(read, thrown);
                }
            });
        }

        private void end(Integer read, Throwable thrown) {
            try {
                if (thrown == null) {
                    ending.answer(lease.buffer(), DATA_AT, Math.max(0, read));
                } else {
                    ending.fail(thrown);
                }
            } finally {
                lease.close();
            }
        }
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
            boolean isPage = (request.u32() & Protocol.WRITE_CACHE) != 0;
            request.skip(8);
            int flags = request.u32();
            request.skip(4);
            ByteBuffer data = request.rest();
            if (size != data.remaining()) {
                throw new Errno.Failure(Errno.EINVAL);
            }
            NodeFile shared = context.files().shared(file.node());
            shared.requireLocks(file);
            if (!isPage) {
                file.throwFailure();
            }
            boolean appends = (flags & Protocol.O_APPEND) != 0 && !isPage;
            Consumer<Throwable> end = begin(file, size, appends || isPage, ending);
            taken = true;
            CompletableFuture<Long> written;
            try {
                written = shared.write(file, data, memory, appends ? -1 : position);
            } catch (Throwable e) {
                end.accept(e); // it may be answered already: the next call tells the failure
                return;
            }
            Futures.whenDone(written, end, (at, thrown) -> {
                end.accept(thrown);
                if (thrown == null && appends && at != position) {
                    invalidate(file.node());
                }
            });
        } finally {
            if (!taken && memory != null) {
                memory.close();
            }
        }
    }

    /** Answers now, or returns who answers at the end. */
    private Consumer<Throwable> begin(OpenFile file, int size, boolean waits, Operations.Ending ending) {
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
                ending.fail(thrown);
            }
        };
    }

    private static Reply written(int size) {
        return new Reply(WRITE_OUT).u32(size).u32(0);
    }

    /** The octets are not where the kernel believes: another client has made the file longer. */
    private void invalidate(Node node) {
        context.executor().execute(() -> context.device().invalidate(node.id()));
    }
}
