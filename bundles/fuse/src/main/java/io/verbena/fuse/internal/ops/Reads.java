package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenFile;
import io.verbena.fuse.internal.kernel.Futures;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** READ, which occupies no thread. Thread safe. */
final class Reads {
    /** The data begins at a page, and the header of the answer stands before it. */
    private static final int DATA_AT = 4096;

    private static final int MAX_REPLACEMENTS = 10;
    private static final Duration MEMORY_WAIT = Duration.ofMinutes(10);

    private final FileSystemContext context;

    Reads(FileSystemContext context) {
        this.context = context;
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
                context.later(ending::fail, () -> {
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
                read(shared, present);
                return;
            }
            Futures.whenDone(
                    shared.answered(),
                    this::fail,
                    (done, thrown) -> context.later(this::fail, () -> {
                        file.follow();
                        settle();
                    }));
        }

        private void read(NodeFile shared, RemoteFile present) {
            CompletableFuture<Integer> octets;
            try {
                if (shared != null) {
                    shared.requireLocks(file); // each time: a replacement of the mount takes them away
                }
                octets = present.readAsync(lease.buffer().duplicate().position(DATA_AT), position);
            } catch (Throwable e) {
                octets = CompletableFuture.failedFuture(e);
            }
            // a lack of memory leaves the lease where it is: the read may be under way
            Futures.whenDone(octets, ending::fail, (read, thrown) -> {
                if (thrown != null && PresentMount.replacement(thrown).isPresent() && replacements < MAX_REPLACEMENTS) {
                    replacements++;
                    context.later(this::fail, () -> {
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
}
