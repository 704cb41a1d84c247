package io.verbena.nfs.transfer.internal.tree;

import java.nio.ByteBuffer;

/** Recognises blocks that consist of zeros, as holes do. */
public final class ZeroBlocks {
    private static final ByteBuffer PIECE = ByteBuffer.allocate(1 << 16).asReadOnlyBuffer();

    private ZeroBlocks() {}

    /**
     * Returns whether the remaining octets of a buffer are zeros. Compares whole vectors. Most other content is
     * recognised by its first few octets.
     */
    public static boolean isZero(ByteBuffer block) {
        for (int at = block.position(); at < block.limit(); at += PIECE.capacity()) {
            int length = Math.min(PIECE.capacity(), block.limit() - at);
            if (block.slice(at, length).mismatch(PIECE.slice(0, length)) >= 0) {
                return false;
            }
        }
        return true;
    }
}
