package io.verbena.xdr;

import java.nio.ByteBuffer;

/**
 * One variable-length opaque whose octets stand outside the XDR stream, so that a transport can move them without a
 * copy (an RPC-over-RDMA DDP-eligible data item, RFC 8166 section 3.4). The stream holds only the item's length word,
 * without the octets and their padding.
 *
 * @param position of a written item: the offset in the stream right behind the length word, earlier items not counted.
 *     Of a read item: the same offset with every earlier item and its padding counted, which is the Position field of
 *     RFC 8166 section 3.4.5; or {@link #IN_ORDER} where items belong to the eligible results in order (the Write list)
 * @param data the octets, from the buffer's position to its limit; reader and writer change neither position nor limit
 */
public record DataItem(int position, ByteBuffer data) {
    /** The position of an item that belongs to the next eligible opaque, at any offset. */
    public static final int IN_ORDER = -1;
}
