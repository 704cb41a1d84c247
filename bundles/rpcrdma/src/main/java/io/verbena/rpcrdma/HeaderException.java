package io.verbena.rpcrdma;

import java.io.IOException;

/** Received octets that are no RPC-over-RDMA header of the version, or one that breaks its rules. */
public final class HeaderException extends IOException {
    private static final long serialVersionUID = 1L;

    private final HeaderError error;
    private final int offset;
    private final String section;

    /**
     * @param error what a responder answers: {@code BAD_HEADER} or {@code VERSION}; {@code NONE} where it answers
     *     nothing, since not even the first four fields are there or the message is an error itself
     * @param message what stood there and what the rule is
     * @param offset the octet offset in the header at which decoding failed
     * @param section the specification's section, like {@code RFC 8166 4.3.1}
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
