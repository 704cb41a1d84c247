package io.verbena.verbs.natives.internal.struct;

import com.kenai.jffi.MemoryIO;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Memory by its address. Addresses are not checked: they must come from the library or from {@link #addressOf}. */
public final class NativeMemory {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private NativeMemory() {}

    /** Allocates zeroed memory in native byte order, which is freed with the buffer. */
    public static ByteBuffer allocate(int octets) {
        return ByteBuffer.allocateDirect(octets).order(ByteOrder.nativeOrder());
    }

    /** The address of octet 0 of a direct buffer, whatever its position. */
    public static long addressOf(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("A buffer on the heap has no address");
        }
        return MEMORY.getDirectBufferAddress(direct);
    }

    public static long getLong(long address) {
        return MEMORY.getLong(address);
    }

    public static int getInt(long address) {
        return MEMORY.getInt(address);
    }

    static int getUnsignedShort(long address) {
        return Short.toUnsignedInt(MEMORY.getShort(address));
    }

    public static int getUnsignedByte(long address) {
        return Byte.toUnsignedInt(MEMORY.getByte(address));
    }

    public static byte[] getBytes(long address, int length) {
        byte[] copy = new byte[length];
        MEMORY.getByteArray(address, copy, 0, length);
        return copy;
    }

    /** Text that ends at a zero octet, or after {@code limit} octets. */
    public static String getString(long address, int limit) {
        return new String(MEMORY.getZeroTerminatedByteArray(address, limit), StandardCharsets.UTF_8);
    }

    public static void putInt(long address, int value) {
        MEMORY.putInt(address, value);
    }

    public static void putLong(long address, long value) {
        MEMORY.putLong(address, value);
    }
}
