package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;

/** An open file of this host. What follows a block of zeros may be a hole, and is read as holes are read best. */
final class LocalSource implements BlockSource {
    private final FileChannel channel;
    private final DirectRead holes;
    private final long size;
    private boolean isAfterZeros;

    LocalSource(Path file) throws IOException {
        Object key = DirectRead.key(file);
        channel = FileChannel.open(file, StandardOpenOption.READ);
        holes = new DirectRead(file, key);
        // files that the system makes up say that they are empty and are not
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
                && Zeros.isZero(destination.duplicate().flip().position(start));
        return CompletableFuture.completedFuture(count == 0 ? -1 : count);
    }

    private int readThroughCache(ByteBuffer destination, long position) throws IOException {
        int count = 0;
        int last = 0;
        while (destination.hasRemaining() && last >= 0) {
            last = channel.read(destination, position + count);
            count += Math.max(0, last);
        }
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
