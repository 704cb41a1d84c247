package io.verbena.nfs.transfer.internal.local;

import io.verbena.nfs.transfer.internal.tree.BlockSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * An open file of this host that is written.
 *
 * @param canHaveHoles see {@link BlockSink#canHaveHoles}
 */
record LocalSink(FileChannel channel, boolean canHaveHoles) implements BlockSink {
    @Override
    public boolean keepsWrites() {
        return true; // octets in the page cache survive every replacement of a mount
    }

    @Override
    public CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException {
        long next = position;
        while (source.hasRemaining()) {
            // A device or a pipe has no positions, and receives the blocks in order.
            next += canHaveHoles ? channel.write(source, next) : channel.write(source);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void checkpoint() {
        // Every write is a checkpoint.
    }

    @Override
    public void finish(long size) throws IOException {
        if (canHaveHoles && channel.size() < size) {
            channel.write(ByteBuffer.allocate(1), size - 1);
        } else if (canHaveHoles && channel.size() > size) {
            channel.truncate(size);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
