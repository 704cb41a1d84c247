package io.verbena.memory;

import java.io.IOException;

/** There is no direct memory for a purpose now, or not within the time given. Nothing was done. */
public final class MemoryRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int bytes;

    /**
     * @param bytes the octets that were asked for
     */
    public MemoryRefusedException(String message, int bytes) {
        super(message);
        this.bytes = bytes;
    }

    /** The octets that were asked for. */
    public int bytes() {
        return bytes;
    }
}
