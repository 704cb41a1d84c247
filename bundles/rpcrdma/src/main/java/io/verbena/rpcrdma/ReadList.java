package io.verbena.rpcrdma;

import java.util.Arrays;

/**
 * The Read list (RFC 8166 section 4.3.1): segments, each with the position of its octets in the RPC message. Adjacent
 * segments of the same position form one Read chunk. Reusable, grows as needed, not thread safe.
 */
public final class ReadList {
    private final SegmentList segments = new SegmentList();
    private int[] positions = new int[4];

    public void clear() {
        segments.clear();
    }

    /** The number of segments. */
    public int size() {
        return segments.size();
    }

    /**
     * @param position the octet offset in the RPC message, an unsigned number of 32 bits
     * @param handle the steering tag
     * @param length in octets, an unsigned number of 32 bits
     * @param offset the address that belongs to the tag
     */
    public void add(int position, int handle, int length, long offset) {
        int index = segments.size();
        if (index == positions.length) {
            positions = Arrays.copyOf(positions, index * 2);
        }
        positions[index] = position;
        segments.add(handle, length, offset);
    }

    /** The position, from 0 to 2^32 - 1. */
    public long position(int index) {
        segments.handle(index); // checks the index
        return Integer.toUnsignedLong(positions[index]);
    }

    public int handle(int index) {
        return segments.handle(index);
    }

    /** The length in octets, from 0 to 2^32 - 1. */
    public long length(int index) {
        return segments.length(index);
    }

    public long offset(int index) {
        return segments.offset(index);
    }
}
