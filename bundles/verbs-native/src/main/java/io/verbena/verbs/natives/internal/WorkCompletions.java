package io.verbena.verbs.natives.internal;

import io.verbena.verbs.natives.internal.Layout.Wc;
import java.nio.ByteBuffer;

/** An array of {@code ibv_wc} in native memory, for {@link Ibverbs#pollCq}. One thread at a time. */
final class WorkCompletions {
    private final int capacity;
    private final ByteBuffer memory;
    private final long address;

    WorkCompletions(int capacity) {
        this.capacity = capacity;
        memory = NativeMemory.allocate(capacity * Wc.SIZE);
        address = NativeMemory.addressOf(memory);
    }

    int capacity() {
        return capacity;
    }

    long address() {
        return address;
    }

    long id(int index) {
        return memory.getLong(index * Wc.SIZE + Wc.WR_ID);
    }

    /** {@code ibv_wc_status}; only {@link #id} and {@link #vendorError} hold unless it is success. */
    int status(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.STATUS);
    }

    int vendorError(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.VENDOR_ERR);
    }

    /** The octets that a receive or a read has got. */
    int length(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.BYTE_LEN);
    }

    /** The bits {@code IBV_WC_WITH_INV} and the like of a receive. */
    int flags(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.WC_FLAGS);
    }

    int invalidatedRkey(int index) {
        return memory.getInt(index * Wc.SIZE + Wc.INVALIDATED_RKEY);
    }
}
