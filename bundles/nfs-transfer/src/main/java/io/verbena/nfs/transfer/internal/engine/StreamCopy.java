package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.FileType;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.ContentMismatchException;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.internal.block.ContentCopy;
import io.verbena.nfs.transfer.internal.block.DigestingFlow;
import io.verbena.nfs.transfer.internal.block.FileRange;
import io.verbena.nfs.transfer.internal.file.CopyContext;
import io.verbena.nfs.transfer.internal.file.PartFile;
import io.verbena.nfs.transfer.internal.file.PartNames;
import io.verbena.nfs.transfer.internal.file.TypeConflicts;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Copies a stream to a file. A truncated stream cannot be told from a complete one. */
final class StreamCopy extends CopyJob {
    private static final int MODE = 0_644;
    private static final int CHUNK = 1 << 16;

    private final CopyContext context;
    private final InputStream in;
    private final TreePath target;

    StreamCopy(
            Running running,
            InputStream in,
            TreePath target,
            CopyOptions options,
            Runtime runtime,
            PartNames partNames,
            CopyEvents events) {
        super(running, runtime, events);
        this.context = new CopyContext(
                options, counters, runtime, partNames, CopyContext.STRETCH, TypeConflicts.none(runtime.random()));
        this.in = in;
        this.target = target;
    }

    @Override
    public boolean makesTarget() {
        return false;
    }

    @Override
    Optional<UnresponsiveServer> unresponsiveServer() {
        return target.unresponsiveServer();
    }

    @Override
    void closePaths() {
        target.close();
    }

    @Override
    public String toString() {
        return "a stream to " + target;
    }

    @Override
    CopySummary rehearsed(Consumer<CopyStep> steps) {
        throw new UnsupportedOperationException("what a stream holds is known when it has ended");
    }

    @Override
    CopySummary copy() throws IOException, InterruptedException {
        long start = context.runtime.nanoTime();
        Optional<FileEntry> there = target.find(true);
        if (target.isDirectory() || there.filter(FileEntry::isDirectory).isPresent()) {
            throw new IOException(target + ": is a directory; what comes from a pipe needs a name");
        }
        TreePath to = target.resolved();
        if (there.isPresent() && !context.options.has(Flag.FORCE)) {
            to.checkMayWrite();
        }
        int mode = there.map(FileEntry::mode).orElse(MODE);
        PartFile part = PartFile.passing(to, context);
        try {
            long size = move(part, to);
            part.settle();
            part.check(part.location().setAttributes(FileType.REGULAR, mode, context.runtime.now()));
            part.complete(to);
            context.abandoned.wrote(to);
            context.abandoned.remove();
            return new CopySummary(
                    1,
                    size,
                    context.runtime.nanoTime() - start,
                    to.successors().size(),
                    List.of(),
                    0,
                    0,
                    0,
                    CopySummary.Kept.ALL,
                    List.of());
        } catch (Throwable e) {
            if (part.giveUp(e)) {
                context.progress.leaveBehind(part.location());
            }
            throw e;
        }
    }

    private long move(PartFile part, TreePath to) throws IOException, InterruptedException {
        boolean isVerified = context.options.has(Flag.VERIFY);
        DigestingFlow digest = new DigestingFlow(context.movingFromHere());
        long size = new ContentCopy(
                        context.runtime,
                        "input",
                        new Source(in),
                        part.location(),
                        part.opener(true),
                        isVerified ? digest : context.movingFromHere())
                .run();
        if (isVerified && !part.sha256(FileRange.WHOLE, context).equals(digest.digest())) {
            throw new ContentMismatchException(to + ": what was written is not what came from the pipe");
        }
        return size;
    }

    private static final class Source implements BlockSource {
        private final InputStream in;
        private final byte[] chunk = new byte[CHUNK];
        private long next;

        Source(InputStream in) {
            this.in = in;
        }

        @Override
        public long size() {
            return UNKNOWN_SIZE;
        }

        @Override
        public boolean isAsynchronous() {
            return false;
        }

        @Override
        public CompletableFuture<Integer> read(ByteBuffer destination, long position) throws IOException {
            if (position != next) {
                throw new IOException("the mount was replaced, and a pipe cannot be read again: run it again");
            }
            int count = 0;
            int last = 0;
            while (destination.hasRemaining() && last >= 0) {
                last = in.read(chunk, 0, Math.min(chunk.length, destination.remaining()));
                destination.put(chunk, 0, Math.max(0, last));
                count += Math.max(0, last);
            }
            next += count;
            return CompletableFuture.completedFuture(count == 0 ? -1 : count);
        }

        @Override
        public void close() {
            // The shell owns the stream.
        }
    }
}
