package io.verbena.rpcrdma;

import java.util.Arrays;

/**
 * Segments of registered memory without positions ({@code xdr_rdma_segment}; RFC 8166 section 3.4.3): one Write chunk
 * or Reply chunk. Reusable, grows as needed, not thread safe.
 */
public final class SegmentList {
    private static final int MIN_CAPACITY = 4;
    /** Shared by all empty lists: a peer may send many Write chunks without segments, each two words long. */
    private static final int[] NO_INTS = {};

    private static final long[] NO_LONGS = {};

    private int[] handles = NO_INTS;
    private int[] lengths = NO_INTS;
    private long[] offsets = NO_LONGS;
    private int size;

    public void clear() {
        size = 0;
    }

    public int size() {
        return size;
    }

    /**
     * @param handle the steering tag
     * @param length in octets, an unsigned number of 32 bits
     * @param offset the address that belongs to the tag
     */
    public void add(int handle, int length, long offset) {
        if (size == handles.length) {
            int capacity = Math.max(MIN_CAPACITY, size * 2);
            handles = Arrays.copyOf(handles, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
        }
        handles[size] = handle;
        lengths[size] = length;
        offsets[size] = offset;
        size++;
    }

    public int handle(int index) {
        return handles[check(index)];
    }

    /** The length in octets, from 0 to 2^32 - 1. */
    public long length(int index) {
        return Integer.toUnsignedLong(lengths[check(index)]);
    }

    public long offset(int index) {
        return offsets[check(index)];
    }

    /** Replaces a segment's length. A responder sets the number of octets that it has written. */
    public void setLength(int index, int length) {
        lengths[check(index)] = length;
    }

    /** The total octets of all segments. */
    public long totalLength() {
        long total = 0;
        for (int i = 0; i < size; i++) {
            total += Integer.toUnsignedLong(lengths[i]);
        }
        return total;
    }

    /** Makes this list equal to another. */
    public void copyFrom(SegmentList other) {
        clear();
        for (int i = 0; i < other.size; i++) {
            add(other.handles[i], other.lengths[i], other.offsets[i]);
        }
    }

    private int check(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("segment " + index + " of " + size);
        }
        return index;
    }
}
