package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The result of an MPA handshake.
 *
 * @param inboundReads the most RDMA Reads of the peer in flight at once (this end's IRD)
 * @param outboundReads the most RDMA Reads of this end in flight at once (its ORD)
 * @param ready how the initiator shows that it is ready
 * @param privateData the private data of the peer
 */
@SuppressWarnings("ArrayRecordComponent") // the results are never compared
record NegotiatedParameters(
        int revision, boolean crc, int inboundReads, int outboundReads, ReadyMode ready, byte[] privateData) {
    /** Describes the parameters for people to read. */
    Map<String, String> describe(int maxSegment) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("revision", Integer.toString(revision));
        map.put("ird", Integer.toString(inboundReads));
        map.put("ord", Integer.toString(outboundReads));
        map.put("crc", crc ? "on" : "off");
        map.put("rtr", ready.name().toLowerCase(Locale.ROOT));
        map.put("mtu", Integer.toString(maxSegment));
        return Collections.unmodifiableMap(map);
    }
}
