package io.verbena.cli.internal.transfer;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Direct buffers of one block each, for the time of one command. */
final class BufferPool {
    private final ConcurrentLinkedQueue<ByteBuffer> buffers = new ConcurrentLinkedQueue<>();

    ByteBuffer take() {
        ByteBuffer buffer = buffers.poll();
        return buffer != null ? buffer : allocate();
    }

    /** Aligned, so that {@link DirectRead} can fill them. */
    private static ByteBuffer allocate() {
        return ByteBuffer.allocateDirect(BlockPump.BLOCK_SIZE + DirectRead.ALIGNMENT)
                .alignedSlice(DirectRead.ALIGNMENT)
                .limit(BlockPump.BLOCK_SIZE)
                .slice();
    }

    void give(ByteBuffer buffer) {
        buffers.add(buffer);
    }
}
