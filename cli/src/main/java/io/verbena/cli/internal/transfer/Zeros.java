package io.verbena.cli.internal.transfer;

import java.nio.ByteBuffer;

/** Blocks that hold nothing but zeros, as holes do. */
final class Zeros {
    private static final ByteBuffer BLOCK =
            ByteBuffer.allocateDirect(BlockPump.BLOCK_SIZE).asReadOnlyBuffer();

    private Zeros() {}

    /**
     * Whether what remains of a buffer is zeros. Compares whole vectors; any
     * other content is usually known by its first few octets.
     *
     * @param block of {@link BlockPump#BLOCK_SIZE} at most
     */
    static boolean isZero(ByteBuffer block) {
        return block.mismatch(BLOCK.duplicate().limit(block.remaining())) < 0;
    }
}
