package io.verbena.verbs.natives.internal.struct;

import io.verbena.verbs.natives.internal.struct.Layout.SendWr;
import io.verbena.verbs.natives.internal.struct.Layout.Sge;
import java.nio.ByteBuffer;

/**
 * A list of {@code ibv_send_wr} in native memory, each with one {@code ibv_sge}. The list is filled, posted and
 * cleared: the library copies posted requests. One thread at a time.
 */
public final class SendRequests {
    private final int capacity;
    private final ByteBuffer memory;
    private final long address;
    private final int sges;
    private final int bad;
    private final int leastElements;
    private int size;

    /** @param leastElements 1 where the device needs an {@code ibv_sge} also for a request without octets */
    public SendRequests(int capacity, int leastElements) {
        this.capacity = capacity;
        this.leastElements = leastElements;
        sges = capacity * SendWr.SIZE;
        bad = sges + capacity * Sge.SIZE;
        memory = NativeMemory.allocate(bad + Long.BYTES);
        address = NativeMemory.addressOf(memory);
    }

    public int capacity() {
        return capacity;
    }

    public int size() {
        return size;
    }

    public void clear() {
        size = 0;
    }

    /** The address of the first request in the list. */
    public long first() {
        return address;
    }

    /** The address of the pointer that a failed post sets. */
    public long badRequest() {
        return address + bad;
    }

    /** Asks the device for a completion of the last request in the list. */
    public void signalLast() {
        int flags = (size - 1) * SendWr.SIZE + SendWr.SEND_FLAGS;
        memory.putInt(flags, memory.getInt(flags) | NativeConstants.IBV_SEND_SIGNALED);
    }

    public void send(long id, int flags, long from, int length, int lkey) {
        data(add(id, NativeConstants.IBV_WR_SEND, flags), from, length, lkey);
    }

    public void sendWithInvalidate(long id, int flags, long from, int length, int lkey, int invalidate) {
        int request = add(id, NativeConstants.IBV_WR_SEND_WITH_INV, flags);
        memory.putInt(request + SendWr.INVALIDATE_RKEY, invalidate);
        // libsiw reads the tag from this member, which otherwise has no meaning for a Send
        memory.putInt(request + SendWr.RDMA_RKEY, invalidate);
        data(request, from, length, lkey);
    }

    public void write(long id, int flags, long from, int length, int lkey, long remoteAddress, int rkey) {
        int request = add(id, NativeConstants.IBV_WR_RDMA_WRITE, flags);
        remote(request, remoteAddress, rkey);
        data(request, from, length, lkey);
    }

    public void read(long id, int flags, long into, int length, int lkey, long remoteAddress, int rkey) {
        int request = add(id, NativeConstants.IBV_WR_RDMA_READ, flags);
        remote(request, remoteAddress, rkey);
        data(request, into, length, lkey);
    }

    /**
     * Adds a bind of a type-2 window to a part of a region.
     *
     * @param rkey the key of the window, with a last octet that the caller chose
     * @param access {@code IBV_ACCESS_REMOTE_} bits
     */
    public void bind(long id, int flags, long window, int rkey, long region, long start, long length, int access) {
        int request = add(id, NativeConstants.IBV_WR_BIND_MW, flags);
        memory.putLong(request + SendWr.BIND_MW, window);
        memory.putInt(request + SendWr.BIND_RKEY, rkey);
        memory.putLong(request + SendWr.BIND_MR, region);
        memory.putLong(request + SendWr.BIND_ADDR, start);
        memory.putLong(request + SendWr.BIND_LENGTH, length);
        memory.putInt(request + SendWr.BIND_ACCESS, access);
        noData(request);
    }

    /** @return the offset of a new request at the end of the list */
    private int add(long id, int opcode, int flags) {
        if (size == capacity) {
            throw new IllegalStateException("The list of send requests is full");
        }
        int request = size * SendWr.SIZE;
        memory.putLong(request + SendWr.WR_ID, id);
        memory.putLong(request + SendWr.NEXT, 0);
        memory.putInt(request + SendWr.OPCODE, opcode);
        memory.putInt(request + SendWr.SEND_FLAGS, flags);
        // librxe refuses a bind with this member set, and the slot may have held a Send with Invalidate
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
