package io.verbena.verbs.natives.internal;

import com.kenai.jffi.MemoryIO;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Memory by its address. Nothing is checked: an address comes from the library or from {@link #addressOf}. */
final class NativeMemory {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private NativeMemory() {}

    /** Memory of its own, zeroed and in the machine's order, that goes with the buffer. */
    static ByteBuffer allocate(int octets) {
        return ByteBuffer.allocateDirect(octets).order(ByteOrder.nativeOrder());
    }

    /** The address of a direct buffer's octet 0, whatever its position. */
    static long addressOf(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("A buffer on the heap has no address");
        }
        return MEMORY.getDirectBufferAddress(direct);
    }

    static long getLong(long address) {
        return MEMORY.getLong(address);
    }

    static int getInt(long address) {
        return MEMORY.getInt(address);
    }

    static int getUnsignedShort(long address) {
        return Short.toUnsignedInt(MEMORY.getShort(address));
    }

    static int getUnsignedByte(long address) {
        return Byte.toUnsignedInt(MEMORY.getByte(address));
    }

    static byte[] getBytes(long address, int length) {
        byte[] copy = new byte[length];
        MEMORY.getByteArray(address, copy, 0, length);
        return copy;
    }

    /** Text that ends at a zero, or after so many octets. */
    static String getString(long address, int limit) {
        return new String(MEMORY.getZeroTerminatedByteArray(address, limit), StandardCharsets.UTF_8);
    }

    static void putInt(long address, int value) {
        MEMORY.putInt(address, value);
    }

    static void putLong(long address, long value) {
        MEMORY.putLong(address, value);
    }
}
