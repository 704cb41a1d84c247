package io.verbena.rpcrdma.dispatcher.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/** Memory that an end of the {@link MemoryFabric} has registered. The fabric is its lock, as it is its end's. */
final class RegisteredMemory implements MemoryRegion {
    private final MemoryFabric fabric;
    private final MemoryConnection owner;
    private final int tag;
    private final ByteBuffer memory;
    private final Access access;
    private final long base = ThreadLocalRandom.current().nextLong(1L << 40);

    @GuardedBy("fabric")
    private boolean valid = true;

    /** @param tag by which the peer reaches it, or 0 where it does not */
    RegisteredMemory(MemoryFabric fabric, MemoryConnection owner, int tag, ByteBuffer memory, Access access) {
        this.fabric = fabric;
        this.owner = owner;
        this.tag = tag;
        this.memory = memory;
        this.access = access;
    }

    /** Whether that end may use those octets of it: it has registered them, and not ended or invalidated that. */
    boolean isOf(MemoryConnection end, long offset, int length) {
        synchronized (fabric) {
            return owner == end && valid && offset >= 0 && length >= 0 && offset + length <= length();
        }
    }

    /** Whether the peer may do that with those octets. */
    boolean allows(Access wanted, long address, int length) {
        return access == wanted && address >= base && address + length <= base + memory.capacity();
    }

    ByteBuffer memory() {
        return memory;
    }

    /** Where in the memory an address of the peer's is. */
    int at(long address) {
        return (int) (address - base);
    }

    /** Its end has ended. */
    void end() {
        synchronized (fabric) {
            valid = false;
        }
    }

    @Override
    public int steeringTag() {
        return tag;
    }

    @Override
    public long remoteOffset() {
        return base;
    }

    @Override
    public long length() {
        return memory.capacity();
    }

    @Override
    public boolean isValid() {
        synchronized (fabric) {
            return valid && (tag == 0 || owner.isOpen(tag));
        }
    }

    @Override
    public void invalidate() {
        synchronized (fabric) {
            valid = false;
            owner.forget(tag);
        }
    }
}
