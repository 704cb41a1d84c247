package io.verbena.verbs.natives.internal;

import io.verbena.verbs.natives.internal.Layout.SendWr;
import io.verbena.verbs.natives.internal.Layout.Sge;
import java.nio.ByteBuffer;

/**
 * A list of {@code ibv_send_wr} in native memory, each with one {@code ibv_sge}. It is filled, posted and cleared: the
 * library copies what is posted. One thread at a time.
 */
final class SendRequests {
    private final int capacity;
    private final ByteBuffer memory;
    private final long address;
    private final int sges;
    private final int bad;
    private final int leastElements;
    private int size;

    /** @param leastElements 1 where a request without octets has to have an {@code ibv_sge} too */
    SendRequests(int capacity, int leastElements) {
        this.capacity = capacity;
        this.leastElements = leastElements;
        sges = capacity * SendWr.SIZE;
        bad = sges + capacity * Sge.SIZE;
        memory = NativeMemory.allocate(bad + Long.BYTES);
        address = NativeMemory.addressOf(memory);
    }

    int capacity() {
        return capacity;
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }

    /** The address of the list's head. */
    long first() {
        return address;
    }

    /** The address of the pointer that a failing post sets. */
    long badRequest() {
        return address + bad;
    }

    /** Asks the device for a completion of the list's last request. */
    void signalLast() {
        int flags = (size - 1) * SendWr.SIZE + SendWr.SEND_FLAGS;
        memory.putInt(flags, memory.getInt(flags) | Layout.IBV_SEND_SIGNALED);
    }

    void send(long id, int flags, long from, int length, int lkey) {
        data(add(id, Layout.IBV_WR_SEND, flags), from, length, lkey);
    }

    void sendWithInvalidate(long id, int flags, long from, int length, int lkey, int invalidate) {
        int request = add(id, Layout.IBV_WR_SEND_WITH_INV, flags);
        memory.putInt(request + SendWr.INVALIDATE_RKEY, invalidate);
        // libsiw takes the tag from there, which has no meaning for a Send otherwise
        memory.putInt(request + SendWr.RDMA_RKEY, invalidate);
        data(request, from, length, lkey);
    }

    void write(long id, int flags, long from, int length, int lkey, long remoteAddress, int rkey) {
        int request = add(id, Layout.IBV_WR_RDMA_WRITE, flags);
        remote(request, remoteAddress, rkey);
        data(request, from, length, lkey);
    }

    void read(long id, int flags, long into, int length, int lkey, long remoteAddress, int rkey) {
        int request = add(id, Layout.IBV_WR_RDMA_READ, flags);
        remote(request, remoteAddress, rkey);
        data(request, into, length, lkey);
    }

    /**
     * Gives a type-2 window to a part of a region.
     *
     * @param rkey the window's, with a last octet of ours
     * @param access {@code IBV_ACCESS_REMOTE_} bits
     */
    void bind(long id, int flags, long window, int rkey, long region, long start, long length, int access) {
        int request = add(id, Layout.IBV_WR_BIND_MW, flags);
        memory.putLong(request + SendWr.BIND_MW, window);
        memory.putInt(request + SendWr.BIND_RKEY, rkey);
        memory.putLong(request + SendWr.BIND_MR, region);
        memory.putLong(request + SendWr.BIND_ADDR, start);
        memory.putLong(request + SendWr.BIND_LENGTH, length);
        memory.putInt(request + SendWr.BIND_ACCESS, access);
        noData(request);
    }

    /** @return the offset of a new request at the list's end */
    private int add(long id, int opcode, int flags) {
        if (size == capacity) {
            throw new IllegalStateException("The list of send requests is full");
        }
        int request = size * SendWr.SIZE;
        memory.putLong(request + SendWr.WR_ID, id);
        memory.putLong(request + SendWr.NEXT, 0);
        memory.putInt(request + SendWr.OPCODE, opcode);
        memory.putInt(request + SendWr.SEND_FLAGS, flags);
        // librxe refuses a bind that has it, and the place may have been that of a Send with Invalidate
        memory.putInt(request + SendWr.INVALIDATE_RKEY, 0);
        if (size > 0) {
            memory.putLong(request - SendWr.SIZE + SendWr.NEXT, address + request);
        }
        size++;
        return request;
    }

    private void remote(int request, long remoteAddress, int rkey) {
        memory.putLong(request + SendWr.RDMA_REMOTE_ADDR, remoteAddress);
        memory.putInt(request + SendWr.RDMA_RKEY, rkey);
    }

    private void data(int request, long start, int length, int lkey) {
        int sge = sges + request / SendWr.SIZE * Sge.SIZE;
        memory.putLong(sge + Sge.ADDR, start);
        memory.putInt(sge + Sge.LENGTH, length);
        memory.putInt(sge + Sge.LKEY, lkey);
        memory.putLong(request + SendWr.SG_LIST, address + sge);
        memory.putInt(request + SendWr.NUM_SGE, length == 0 ? leastElements : 1);
    }

    private void noData(int request) {
        memory.putLong(request + SendWr.SG_LIST, 0);
        memory.putInt(request + SendWr.NUM_SGE, 0);
    }
}
