package io.verbena.verbs.iwarp.internal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What an MPA handshake has brought.
 *
 * @param inboundReads the most reads of the peer's at once (our IRD)
 * @param outboundReads the most reads of ours at once (our ORD)
 * @param ready how the initiator shows that it is ready
 * @param privateData the peer's
 */
@SuppressWarnings("ArrayRecordComponent") // the results are never compared
record Negotiated(int revision, boolean crc, int inboundReads, int outboundReads, ReadyMode ready, byte[] privateData) {
    /** For people to read. */
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
