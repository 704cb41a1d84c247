package io.verbena.verbs.natives.internal;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the two ends tell one another to become a connection. */
final class Handshake {
    /** InfiniBand's request has 92 octets of private data, of which librdmacm's header takes 36. */
    static final int IB_REQUEST_DATA = 56;

    static final int IB_REPLY_DATA = 196;
    static final int IB_REJECTION_DATA = 148;

    /** What librdmacm's parameters hold, less the 4 octets of MPA's enhanced connection set-up (RFC 6581). */
    static final int IWARP_DATA = 251;

    private static final int RETRIES = 7;
    /** A message that finds nothing posted ends the connection. */
    private static final int RETRIES_WITHOUT_RECEIVE = 0;

    private final Device device;
    private final CmEvent request;
    private final int inboundReads;
    private final int outboundReads;
    private volatile InetSocketAddress local;

    /** @param request the peer's, or null for an initiator */
    Handshake(Device device, ConnectionOptions limits, CmEvent request) {
        this.device = device;
        this.request = request;
        int in = device.inboundReads(limits.inboundReads());
        int out = device.outboundReads(limits.outboundReads());
        inboundReads = request == null ? in : Math.min(in, request.responderResources());
        outboundReads = request == null ? out : Math.min(out, request.initiatorDepth());
    }

    /** Makes the connection, or fails. Returns the event that tells that it stands. */
    CmEvent perform(Natives natives, CmId id, byte[] privateData, long deadline) throws RdmaException {
        ConnectParameters parameters = new ConnectParameters(
                ByteBuffer.wrap(privateData), inboundReads, outboundReads, RETRIES, RETRIES_WITHOUT_RECEIVE);
        try {
            if (request == null) {
                natives.cm().connect(id.id(), parameters);
            } else {
                natives.cm().accept(id.id(), parameters);
            }
        } catch (NativeException e) {
            throw Failures.connecting(e);
        }
        CmEvent event = id.await(CmEvent.Type.ESTABLISHED, deadline);
        local = natives.cm().localAddress(id.id());
        return event;
    }

    /** The local address, once it is known. */
    InetSocketAddress local() {
        return local;
    }

    int maxPrivateData() {
        return device.iwarp() ? IWARP_DATA : request == null ? IB_REQUEST_DATA : IB_REPLY_DATA;
    }

    static int maxRejectionData(Device device) {
        return device.iwarp() ? IWARP_DATA : IB_REJECTION_DATA;
    }

    /** The reads of ours that may be in flight: an initiator learns from the reply what the peer answers at once. */
    int outboundReads(CmEvent established) {
        return request == null
                ? Math.min(
                        outboundReads,
                        device.swapsReadLimits() ? established.responderResources() : established.initiatorDepth())
                : outboundReads;
    }

    private int inboundReads(CmEvent established) {
        return request == null
                ? Math.min(
                        inboundReads,
                        device.swapsReadLimits() ? established.initiatorDepth() : established.responderResources())
                : inboundReads;
    }

    /** What was negotiated, and what the device has granted, for people to read. */
    Map<String, String> describe(CmEvent established, int inlineOctets) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("device", device.name());
        map.put("ird", Integer.toString(inboundReads(established)));
        map.put("ord", Integer.toString(outboundReads(established)));
        map.put("max_inline", Integer.toString(inlineOctets));
        map.put("registration", device.registration().text());
        return Collections.unmodifiableMap(map);
    }
}
