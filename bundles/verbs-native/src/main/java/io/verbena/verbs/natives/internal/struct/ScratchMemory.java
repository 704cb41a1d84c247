package io.verbena.verbs.natives.internal.struct;

import com.kenai.jffi.MemoryIO;

/**
 * Zeroed native memory for one call: arguments and results of calls that are not on the hot path. Freed by {@link
 * #close}.
 */
public final class ScratchMemory implements AutoCloseable {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private final long address;

    public ScratchMemory(int octets) {
        address = MEMORY.allocateMemory(octets, true);
        if (address == 0) {
            throw new OutOfMemoryError("No native memory for " + octets + " octets");
        }
    }

    /** Memory that holds a copy of these octets; at least one octet long. */
    public static ScratchMemory of(byte[] octets) {
        ScratchMemory scratch = new ScratchMemory(Math.max(octets.length, 1));
        scratch.put(0, octets);
        return scratch;
    }

    public long address() {
        return address;
    }

    public long getLong(int offset) {
        return MEMORY.getLong(address + offset);
    }

    public int getInt(int offset) {
        return MEMORY.getInt(address + offset);
    }

    public int getUnsignedByte(int offset) {
        return Byte.toUnsignedInt(MEMORY.getByte(address + offset));
    }

    public void putLong(int offset, long value) {
        MEMORY.putLong(address + offset, value);
    }

    public void putInt(int offset, int value) {
        MEMORY.putInt(address + offset, value);
    }

    void putShort(int offset, int value) {
        MEMORY.putShort(address + offset, (short) value);
    }

    public void putByte(int offset, int value) {
        MEMORY.putByte(address + offset, (byte) value);
    }

    public void put(int offset, byte[] octets) {
        MEMORY.putByteArray(address + offset, octets, 0, octets.length);
    }

    @Override
    public void close() {
        MEMORY.freeMemory(address);
    }
}
