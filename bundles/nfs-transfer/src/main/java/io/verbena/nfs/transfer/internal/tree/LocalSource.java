package io.verbena.nfs.transfer.internal.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

    private final FileChannel channel;
    private final DirectRead holes;
    private final long size;
    private boolean isAfterZeros;

    LocalSource(Path file) throws IOException {
        Object key = DirectRead.key(file);
        channel = FileChannel.open(file, StandardOpenOption.READ);
        holes = new DirectRead(file, key);
        // Files that the kernel generates report a size of zero, but have content.
        size = channel.size() == 0 ? UNKNOWN_SIZE : channel.size();
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
        try {
            holes.close();
        } finally {
            channel.close();
        }
    }
}
