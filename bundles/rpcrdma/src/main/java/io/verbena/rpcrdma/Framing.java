package io.verbena.rpcrdma;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The header codec of one version of RPC-over-RDMA; a service with the property {@link #VERSION}. Pure functions on
 * big-endian buffers with absolute offsets, without state and without I/O. Any thread may call it.
 */
@ProviderType
public interface Framing {
    /** Service property: the version's number, an Integer. */
    String VERSION = "verbena.rpcrdma.version";

    /** The number in {@code rdma_vers}. */
    int version();

    /** The default inline threshold in octets (RFC 8166 section 3.3.3). */
    int defaultInlineThreshold();

    /** The number of octets that {@link #encode} writes. */
    int encodedLength(TransportHeader header);

    /**
     * Writes a header.
     *
     * @param out the buffer, written from {@code offset} up to its limit at most; its position is neither used nor
     *     changed
     * @return the number of octets written
     * @throws IllegalArgumentException for a header that this version cannot express
     * @throws IndexOutOfBoundsException where the header does not fit
     */
    int encode(TransportHeader header, ByteBuffer out, int offset);

    /**
     * Reads a header. Never reads outside {@code offset .. offset + length}.
     *
     * @param in the received message, which ends at or before the buffer's limit; its position is neither used nor
     *     changed
     * @param header receives the fields; its earlier content is lost. If this method throws, only the direction has a
     *     meaning, where the message tells it
     * @return the length of the header in octets; the RPC message, if there is one, follows it
     * @throws HeaderException for octets that are not a header of this version. ERR_VERS, the peer's answer that it
     *     does not support our version, is the same in every version and is accepted with any number in
     *     {@code rdma_vers}
     */
    int decode(ByteBuffer in, int offset, int length, TransportHeader header) throws HeaderException;
}
