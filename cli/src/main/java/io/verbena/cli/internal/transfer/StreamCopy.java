package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Copies from and to what pipes carry. On the calling thread, which an interrupt stops. */
public final class StreamCopy {
    private static final int MODE = 0_644;
    private static final int CHUNK = 1 << 16;

    private final CopyContext context;

    public StreamCopy(CopyOptions options) {
        context = new CopyContext(options, new Progress(), TransferClock.SYSTEM, CopyContext.STRETCH, Obstacles.none());
    }

    /** How far it is, also after it has failed. */
    public Progress progress() {
        return context.progress;
    }

    /** Writes all of some files to a stream, one after the other. */
    public void copy(List<Location> files, OutputStream out) throws IOException, InterruptedException {
        WritableByteChannel channel = Channels.newChannel(out);
        for (Location file : files) {
            context.contents.pump(PinnedFile.read(file), channel::write, Stretch.WHOLE, context.reading(file));
        }
    }

    /**
     * Makes a file of what a stream holds; it appears under its name when the stream has ended. A stream that is cut off
     * looks as one that has ended.
     */
    public Summary copy(InputStream in, Location target) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Optional<Node> there = target.find(true);
        if (target.isDirectory() || there.filter(Node::isDirectory).isPresent()) {
            throw new IOException(target + ": is a directory; what comes from a pipe needs a name");
        }
        Location to = target.resolved();
        if (there.isPresent() && !context.options.has(Flag.FORCE)) {
            to.checkMayWrite();
        }
        int mode = there.map(Node::mode).orElse(MODE);
        PartFile part = PartFile.passing(to);
        try {
            long size = move(in, part, to);
            part.check(part.location().setAttributes(mode, Instant.now()));
            part.complete(to);
            return new Summary(
                    1,
                    size,
                    System.nanoTime() - start,
                    to.successors().size(),
                    List.of(),
                    0,
                    0,
                    0,
                    Summary.Kept.ALL,
                    List.of());
        } catch (IOException | InterruptedException | RuntimeException e) {
            if (part.giveUp(e)) {
                context.progress.leaveBehind(part.location());
            }
            throw e;
        }
    }

    private long move(InputStream in, PartFile part, Location to) throws IOException, InterruptedException {
        boolean isVerified = context.options.has(Flag.VERIFY);
        DigestingFlow digest = new DigestingFlow(context.movingFromHere());
        long size = new ContentCopy(
                        context.pool,
                        "input",
                        new Source(in),
                        part.location(),
                        part.opener(true),
                        isVerified ? digest : context.movingFromHere())
                .run();
        if (isVerified && !part.sha256(Stretch.WHOLE, context).equals(digest.digest())) {
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
            // the stream is the shell's
        }
    }
}
