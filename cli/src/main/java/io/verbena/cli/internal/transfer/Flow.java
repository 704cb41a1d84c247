package io.verbena.cli.internal.transfer;

import java.nio.ByteBuffer;

/** Told of every block that a pump moves, by the pump's thread. */
interface Flow {
    Flow NONE = new Flow() {};

    /** Before a block is read; may wait. */
    default void beforeRead(int octets) throws InterruptedException {}

    /** Before a block is written that is no hole; may wait. */
    default void beforeWrite(int octets) throws InterruptedException {}

    /** The next block, in their order, as it was read. Its position and limit must stay. */
    default void moved(ByteBuffer block) {}
}
