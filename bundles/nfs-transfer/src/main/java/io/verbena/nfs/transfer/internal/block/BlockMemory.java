package io.verbena.nfs.transfer.internal.block;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * Allocates the memory of a pump's blocks. If a pump writes to a mount or reads from one, its blocks are leases of the
 * mount's memory share. The mount's own buffers and the buffers of its transfers then give memory back together. If
 * both files are files of this host, the blocks are on the heap. Thread safe.
 */
final class BlockMemory {
    /**
     * The longest wait of a pump for its only block. The other transfers of the mount continue and end during the wait.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Optional<MemoryShare> share;

    private BlockMemory(Optional<MemoryShare> share) {
        this.share = share;
    }

    /** Returns the memory for a pump between a source and a sink. */
    static BlockMemory between(BlockSource source, BlockSink sink) throws IOException {
        Optional<MemoryShare> ofSink = sink.memory();
        return new BlockMemory(ofSink.isPresent() ? ofSink : source.memory());
    }

    /** Returns a block of the given number of octets, or null if no memory is available now. */
    BufferLease tryTake(int octets) {
        return share.isPresent() ? share.get().tryLease(octets) : new HeapBlock(ByteBuffer.allocate(octets));
    }

    /** Waits on the calling thread for a block of the given number of octets, and returns it. */
    BufferLease await(int octets) throws IOException, InterruptedException {
        return share.isPresent() ? share.get().await(octets, PATIENCE) : tryTake(octets);
    }

    private record HeapBlock(ByteBuffer buffer) implements BufferLease {
        @Override
        public int heldBytes() {
            return 0;
        }

        @Override
        public void close() {
            // The garbage collector frees the buffer.
        }
    }
}
