package io.verbena.verbs.natives.internal;

import com.kenai.jffi.MemoryIO;

/** Zeroed native memory for the time of one call: arguments and results of the calls off the hot path. */
final class Scratch implements AutoCloseable {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private final long address;

    Scratch(int octets) {
        address = MEMORY.allocateMemory(octets, true);
        if (address == 0) {
            throw new OutOfMemoryError("No native memory for " + octets + " octets");
        }
    }

    /** Memory that holds a copy of these octets; of no octets, one that is never read. */
    static Scratch of(byte[] octets) {
        Scratch scratch = new Scratch(Math.max(octets.length, 1));
        scratch.put(0, octets);
        return scratch;
    }

    long address() {
        return address;
    }

    long getLong(int offset) {
        return MEMORY.getLong(address + offset);
    }

    int getInt(int offset) {
        return MEMORY.getInt(address + offset);
    }

    int getUnsignedByte(int offset) {
        return Byte.toUnsignedInt(MEMORY.getByte(address + offset));
    }

    void putLong(int offset, long value) {
        MEMORY.putLong(address + offset, value);
    }

    void putInt(int offset, int value) {
        MEMORY.putInt(address + offset, value);
    }

    void putShort(int offset, int value) {
        MEMORY.putShort(address + offset, (short) value);
    }

    void putByte(int offset, int value) {
        MEMORY.putByte(address + offset, (byte) value);
    }

    void put(int offset, byte[] octets) {
        MEMORY.putByteArray(address + offset, octets, 0, octets.length);
    }

    @Override
    public void close() {
        MEMORY.freeMemory(address);
    }
}
