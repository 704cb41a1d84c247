package io.verbena.memory;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One direct buffer of a {@link MemoryShare}, until it is closed. The lease has one owner at a time, who may pass it
 * on. Any thread may call {@link #close}, and more than once.
 */
@ProviderType
public interface BufferLease extends AutoCloseable {
    /**
     * The buffer, the same object each time. Its capacity is the number of octets that was asked for, its first octet
     * is the start of a page of 4096 octets, its content is undefined.
     */
    ByteBuffer buffer();

    /** The octets that the lease counts for: its capacity in whole pages. */
    int heldBytes();

    /**
     * Gives the memory back. Neither the program, nor a device, nor a posted work request may use the buffer any more.
     */
    @Override
    void close();
}
