package io.verbena.nfs.transfer.internal.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Observes every block that a pump moves. The pump's thread calls the methods. */
public interface BlockObserver {
    BlockObserver NONE = new BlockObserver() {};

    /** Called before a block is read. The method may wait. */
    default void beforeRead(int octets) throws InterruptedException {}

    /** Called before a block is written, unless the block is a hole. The method may wait. */
    default void beforeWrite(int octets) throws InterruptedException {}

    /**
     * Called with each block in the order of the file, after the block was read. The method must not change the block's
     * position or limit.
     */
    default void moved(ByteBuffer block) throws IOException {}

    /**
     * Called when all octets of the range up to a position are safe in the sink.
     *
     * @param position the position after the last safe octet
     */
    default void safe(long position) throws IOException {}
}
