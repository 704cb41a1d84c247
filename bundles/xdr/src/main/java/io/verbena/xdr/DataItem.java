package io.verbena.xdr;

import java.nio.ByteBuffer;

/**
 * The octets of one variable-length opaque that stand outside the XDR stream, so that a transport can move them
 * without a copy (an RPC-over-RDMA DDP-eligible data item, RFC 8166 section 3.4). Only the item's length word is in the
 * stream; neither its octets nor their padding are.
 *
 * @param position written: the offset in the stream, right behind the length word, at which the octets would stand
 *     (items before it not counted). Read: the same with every item before it counted with its padding, as the
 *     Position field of RFC 8166 section 3.4.5 has it, or {@link #IN_ORDER} where items belong to the eligible results
 *     in order (the Write list)
 * @param data the octets, from the buffer's position to its limit; neither is changed by reader or writer
 */
public record DataItem(int position, ByteBuffer data) {
    /** The position of an item that belongs to the next eligible opaque, wherever that stands. */
    public static final int IN_ORDER = -1;
}
