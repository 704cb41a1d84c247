package io.verbena.rpcrdma;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The header codec of one version of RPC-over-RDMA; a service with the property {@link #VERSION}. Pure functions over
 * big-endian buffers with absolute offsets, without state and without I/O; may be called from any thread.
 */
@ProviderType
public interface Framing {
    /** Service property: the version's number, an Integer. */
    String VERSION = "verbena.rpcrdma.version";

    /** The number in {@code rdma_vers}. */
    int version();

    /** The inline threshold in octets where nothing else was settled (RFC 8166 section 3.3.3). */
    int defaultInlineThreshold();

    /** The octets that {@link #encode} would write. */
    int encodedLength(TransportHeader header);

    /**
     * Writes a header.
     *
     * @param out is written from {@code offset} on, up to its limit; its position is neither used nor changed
     * @return the octets written
     * @throws IllegalArgumentException for what this version cannot express
     * @throws IndexOutOfBoundsException where the header does not fit
     */
    int encode(TransportHeader header, ByteBuffer out, int offset);

    /**
     * Reads a header. Never reads outside {@code offset .. offset + length}.
     *
     * @param in the received message, which ends at or before the buffer's limit; its position is neither used nor
     *     changed
     * @param header is filled; what it held before is gone. Where this throws it has no meaning but for the direction,
     *     as far as the message told that
     * @return the header's octets; the RPC message, if there is one, follows
     * @throws HeaderException for any octets that are not a header of this version. One error is of every version, and
     *     accepted with any number in {@code rdma_vers}: the peer's answer that it does not support ours
     */
    int decode(ByteBuffer in, int offset, int length, TransportHeader header) throws HeaderException;
}
