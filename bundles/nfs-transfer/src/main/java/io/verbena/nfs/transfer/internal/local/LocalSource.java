package io.verbena.nfs.transfer.internal.local;

import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.ZeroBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * An open file of this host. After a block of zeros, the next block is read past the page cache, because it may be a
 * hole.
 */
final class LocalSource implements BlockSource {
    /**
     * The largest number of octets in one read into the heap. The JDK caches a direct buffer of the same size for such
     * reads.
     */
    private static final int HEAP_PIECE = 1 << 16;

    /** A file that can be opened several times, and is the same each time. */
    interface Opening extends Closeable {
        FileChannel open(Set<? extends OpenOption> options) throws IOException;
    }

    private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);

    private final Opening file;
    private final FileChannel channel;
    private final DirectRead holes;
    private final long size;
    private boolean isAfterZeros;

    /**
     * Opens a file.
     *
     * @param file the file, which {@link #close} closes; this constructor closes it if it throws
     */
    LocalSource(Opening file) throws IOException {
        this.file = file;
        FileChannel opened = null;
        try {
            opened = file.open(READ);
            // Files that the kernel generates report a size of zero, but have content.
            size = opened.size() == 0 ? UNKNOWN_SIZE : opened.size();
        } catch (Throwable e) {
            if (opened != null) {
                opened.close();
            }
            file.close();
            throw e;
        }
        channel = opened;
        holes = new DirectRead(file);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public boolean isAsynchronous() {
        return false;
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer destination, long position) throws IOException {
        int start = destination.position();
        int count;
        if (isAfterZeros && holes.fill(destination, position)) {
            count = destination.position() - start;
        } else {
            count = readThroughCache(destination, position);
        }
        isAfterZeros = size != UNKNOWN_SIZE
                && ZeroBlocks.isZero(destination.duplicate().flip().position(start));
        return CompletableFuture.completedFuture(count == 0 ? -1 : count);
    }

    private int readThroughCache(ByteBuffer destination, long position) throws IOException {
        int count = 0;
        int last = 0;
        int end = destination.limit();
        while (destination.position() < end && last >= 0) {
            if (!destination.isDirect()) {
                destination.limit(Math.min(end, destination.position() + HEAP_PIECE));
            }
            last = channel.read(destination, position + count);
            count += Math.max(0, last);
        }
        destination.limit(end);
        return count;
    }

    @Override
    public void close() throws IOException {
        try (file;
                channel) {
            holes.close();
        }
    }
}
