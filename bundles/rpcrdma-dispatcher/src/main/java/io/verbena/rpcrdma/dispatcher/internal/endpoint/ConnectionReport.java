package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.requester.CreditUsage;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.RdmaConnection;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings and gauges of a connection, for people to read. */
public final class ConnectionReport {
    private ConnectionReport() {}

    /** The netid of an address (RFC 8166 section 10.2). */
    public static String netid(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address ? "rdma6" : "rdma";
    }

    /** The gauges of the calls of this end, and of its memory. */
    static Map<String, Long> gauges(CreditUsage calls, long registrations) {
        Map<String, Long> all = new LinkedHashMap<>();
        all.put("creditsGranted", (long) calls.granted());
        all.put("creditsInUse", (long) calls.inUse());
        all.put("callsWaiting", (long) calls.waiting());
        all.put("registrations", registrations);
        return all;
    }

    /**
     * @param connecting whether this end made the connection: its calls are the forward ones
     */
    static Map<String, String> of(Connection connection, boolean connecting) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("netid", netid(connection.rdma().remoteAddress()));
        all.put("provider", connection.provider().name());
        if (connection.framing() != null) {
            all.put("version", Integer.toString(connection.framing().version()));
        }
        ConnectionSettings settings = connection.settings();
        int calls = connecting ? settings.sendThreshold() : settings.receiveThreshold();
        int replies = connecting ? settings.receiveThreshold() : settings.sendThreshold();
        all.put("callThreshold", Integer.toString(calls));
        all.put("replyThreshold", Integer.toString(replies));
        all.put("remoteInvalidation", settings.remoteInvalidation() ? "on" : "off");
        RdmaConnection rdma = connection.rdma();
        all.putAll(rdma.settings());
        if (rdma.localAddress() != null) {
            all.put("local", Addresses.text(rdma.localAddress()));
        }
        all.put("remote", Addresses.text(rdma.remoteAddress()));
        return all;
    }
}
