package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.Optional;

/**
 * {@code channel_attrs4}: the limits of one direction of a session (RFC 8881 section 18.36). All numbers are unsigned.
 *
 * @param headerPadSize padding that a requester may put before WRITE's data
 * @param maxRequestSize the longest COMPOUND request, RPC header included, in octets
 * @param maxResponseSize the longest reply, likewise
 * @param maxResponseSizeCached the longest reply that the replier keeps in its reply cache
 * @param maxOperations the most operations of a COMPOUND
 * @param maxRequests the most requests at once: the size of the slot table
 * @param rdmaIrd the RDMA inbound read queue depth, where told
 */
public record ChannelAttributes(
        int headerPadSize,
        int maxRequestSize,
        int maxResponseSize,
        int maxResponseSizeCached,
        int maxOperations,
        int maxRequests,
        Optional<Integer> rdmaIrd) {
    public void encode(XdrWriter out) {
        out.putInt(headerPadSize).putInt(maxRequestSize).putInt(maxResponseSize).putInt(maxResponseSizeCached);
        out.putInt(maxOperations).putInt(maxRequests).putInt(rdmaIrd.isPresent() ? 1 : 0);
        rdmaIrd.ifPresent(out::putInt);
    }

    public static ChannelAttributes decode(XdrReader in) throws XdrException {
        return new ChannelAttributes(
                in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt(), decodeIrd(in));
    }

    private static Optional<Integer> decodeIrd(XdrReader in) throws XdrException {
        return in.getCount(1, 4) == 0 ? Optional.empty() : Optional.of(in.getInt());
    }
}
