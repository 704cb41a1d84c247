package io.verbena.verbs.natives.internal.struct;

import io.verbena.verbs.natives.internal.struct.Layout.RecvWr;
import io.verbena.verbs.natives.internal.struct.Layout.Sge;
import java.nio.ByteBuffer;

/** A list of {@code ibv_recv_wr} in native memory, each with one {@code ibv_sge}; used like {@link SendRequests}. */
public final class ReceiveRequests {
    private final int capacity;
    private final ByteBuffer memory;
    private final long address;
    private final int sges;
    private final int bad;
    private final int leastElements;
    private int size;

    /** @param leastElements 1 where the device needs an {@code ibv_sge} also for a request without octets */
    public ReceiveRequests(int capacity, int leastElements) {
        this.capacity = capacity;
        this.leastElements = leastElements;
        sges = capacity * RecvWr.SIZE;
        bad = sges + capacity * Sge.SIZE;
        memory = NativeMemory.allocate(bad + Long.BYTES);
        address = NativeMemory.addressOf(memory);
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

    public void receive(long id, long into, int length, int lkey) {
        if (size == capacity) {
            throw new IllegalStateException("The list of receive requests is full");
        }
        int request = size * RecvWr.SIZE;
        int sge = sges + size * Sge.SIZE;
        memory.putLong(sge + Sge.ADDR, into);
        memory.putInt(sge + Sge.LENGTH, length);
        memory.putInt(sge + Sge.LKEY, lkey);
        memory.putLong(request + RecvWr.WR_ID, id);
        memory.putLong(request + RecvWr.NEXT, 0);
        memory.putLong(request + RecvWr.SG_LIST, address + sge);
        memory.putInt(request + RecvWr.NUM_SGE, length == 0 ? leastElements : 1);
        if (size > 0) {
            memory.putLong(request - RecvWr.SIZE + RecvWr.NEXT, address + request);
        }
        size++;
    }
}
