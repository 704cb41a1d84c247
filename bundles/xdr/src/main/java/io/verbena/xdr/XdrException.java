package io.verbena.xdr;

import java.io.IOException;

/**
 * The received octets are not valid XDR for the expected type: they are too short, a length is over its bound, a value
 * is outside its type, or a data item stands where none is allowed. {@link #offset()} tells where.
 */
public final class XdrException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int offset;

    /**
     * @param message what was expected and what stood there
     * @param offset the byte offset in the stream, from its start
     */
    public XdrException(String message, int offset) {
        super(message + " at stream offset " + offset);
        this.offset = offset;
    }

    /** The byte offset in the stream, from its start, at which decoding failed. */
    public int offset() {
        return offset;
    }
}
