package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.ConnectParameters;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The connection manager's handshake: what the two ends exchange to establish a connection. */
public final class CmHandshake {
    /** InfiniBand's request has 92 octets of private data, of which librdmacm's header takes 36. */
    static final int IB_REQUEST_DATA = 56;

    static final int IB_REPLY_DATA = 196;
    public static final int IB_REJECTION_DATA = 148;

    /**
     * The most that the parameters of librdmacm can hold, less the 4 octets of MPA's enhanced connection set-up (RFC
     * 6581).
     */
    static final int IWARP_DATA = 251;

    private static final int RETRIES = 7;
    /** A message that finds no posted receive ends the connection. */
    private static final int RETRIES_WITHOUT_RECEIVE = 0;

    private final Device device;
    private final CmEvent request;
    private final int inboundReads;
    private final int outboundReads;
    private volatile InetSocketAddress local;

    /** @param request the peer's request, or null for an initiator */
    CmHandshake(Device device, ConnectionOptions limits, CmEvent request) {
        this.device = device;
        this.request = request;
        int in = device.inboundReads(limits.inboundReads());
        int out = device.outboundReads(limits.outboundReads());
        inboundReads = request == null ? in : Math.min(in, request.responderResources());
        outboundReads = request == null ? out : Math.min(out, request.initiatorDepth());
    }

    /** Establishes the connection, or fails. Returns the event that reports the established connection. */
    CmEvent perform(NativeLibraries libraries, CmId id, byte[] privateData, long deadline) throws RdmaException {
        ConnectParameters parameters = new ConnectParameters(
                ByteBuffer.wrap(privateData), inboundReads, outboundReads, RETRIES, RETRIES_WITHOUT_RECEIVE);
        try {
            if (request == null) {
                libraries.cm().connect(id.id(), parameters);
            } else {
                libraries.cm().accept(id.id(), parameters);
            }
        } catch (NativeException e) {
            throw Failures.connecting(e);
        }
        CmEvent event = id.await(CmEvent.Type.ESTABLISHED, deadline);
        local = libraries.cm().localAddress(id.id());
        return event;
    }

    /** The local address; null until it is known. */
    InetSocketAddress local() {
        return local;
    }

    int maxPrivateData() {
        return device.iwarp() ? IWARP_DATA : request == null ? IB_REQUEST_DATA : IB_REPLY_DATA;
    }

    public static int maxRejectionData(Device device) {
        return device.iwarp() ? IWARP_DATA : IB_REJECTION_DATA;
    }

    /**
     * The most RDMA Reads of this end in flight. An initiator learns from the reply how many the peer answers at once.
     */
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

    /** The negotiated parameters, and what the device has granted, for people to read. */
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
