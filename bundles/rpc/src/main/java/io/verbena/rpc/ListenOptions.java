package io.verbena.rpc;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * Where and how to listen.
 *
 * @param local the address; port 0 picks a free port
 * @param credits the calls granted to each connection
 * @param maxConnections the most connections; the listener refuses more
 * @param maxCallSize the largest call accepted, header, stream and data items in all, in octets
 * @param transport further options, as in {@link ConnectOptions}
 */
public record ListenOptions(
        InetSocketAddress local, int credits, int maxConnections, int maxCallSize, Map<String, String> transport) {
    public ListenOptions {
        transport = Map.copyOf(transport);
    }

    /** 64 credits, 256 connections, calls of at most 2 MiB, no further options. */
    public static ListenOptions on(InetSocketAddress local) {
        return new ListenOptions(local, 64, 256, 2 << 20, Map.of());
    }
}
