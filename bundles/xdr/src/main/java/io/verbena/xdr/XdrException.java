package io.verbena.xdr;

import java.io.IOException;

/**
 * Received bytes that are not valid XDR for what was expected: too short, a length over its bound, a value outside its
 * type, or a data item where none may stand. {@link #offset()} tells where.
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
