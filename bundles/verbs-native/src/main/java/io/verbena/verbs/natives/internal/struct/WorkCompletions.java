package io.verbena.verbs.natives.internal.struct;

import io.verbena.verbs.natives.internal.struct.Layout.Wc;
import java.nio.ByteBuffer;

/** An array of {@code ibv_wc} in native memory, for {@code ibv_poll_cq}. One thread at a time. */
public final class WorkCompletions {
    private final int capacity;
    private final ByteBuffer memory;
    private final long address;

    public WorkCompletions(int capacity) {
        this.capacity = capacity;
        memory = NativeMemory.allocate(capacity * Wc.SIZE);
        address = NativeMemory.addressOf(memory);
    }

    public int capacity() {
        return capacity;
    }

    public long address() {
        return address;
    }

    public long id(int index) {
        return memory.getLong(index * Wc.SIZE + Wc.WR_ID);
    }

    /** {@code ibv_wc_status}; unless it is success, only {@link #id} and {@link #vendorError} are valid. */
    public int status(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.STATUS);
    }

    public int vendorError(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.VENDOR_ERR);
    }

    /** The length of a receive or a read. */
    public int length(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.BYTE_LEN);
    }

    /** The flags of a receive, such as {@code IBV_WC_WITH_INV}. */
    public int flags(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.WC_FLAGS);
    }

    public int invalidatedRkey(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.INVALIDATED_RKEY);
    }
}
