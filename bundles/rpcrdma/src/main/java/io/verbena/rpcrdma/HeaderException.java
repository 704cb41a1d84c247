package io.verbena.rpcrdma;

import java.io.IOException;

/** The received octets are not an RPC-over-RDMA header of the version, or violate its rules. */
public final class HeaderException extends IOException {
    private static final long serialVersionUID = 1L;

    private final HeaderError error;
    private final int offset;
    private final String section;

    /**
     * @param error the responder's answer: {@code BAD_HEADER} or {@code VERSION}; {@code NONE} for no answer, where the
     *     first four fields are incomplete or the message is an error itself
     * @param message the received content and the violated rule
     * @param offset the octet offset in the header at which decoding failed
     * @param section the section of the specification, such as {@code RFC 8166 4.3.1}
     */
    public HeaderException(HeaderError error, String message, int offset, String section) {
        super(message + " at header offset " + offset + " (" + section + ")");
        this.error = error;
        this.offset = offset;
        this.section = section;
    }

    public HeaderError error() {
        return error;
    }

    public int offset() {
        return offset;
    }

    public String section() {
        return section;
    }
}
