package io.verbena.nfs41.server.internal.budget;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/** Distinguishes the hosts of peers by their addresses. */
public final class PeerHost {
    private static final int PREFIX_OCTETS = 8;

    private PeerHost() {}

    /**
     * Returns a key that is equal for all addresses of one host. IPv6 hosts choose the lower half of their addresses
     * themselves (RFC 8981), so only the upper half counts there.
     */
    public static Object of(SocketAddress from) {
        InetAddress address = from instanceof InetSocketAddress inet ? inet.getAddress() : null;
        if (address instanceof Inet6Address six && !six.isLoopbackAddress()) {
            return List.of(six.getScopeId(), ByteBuffer.wrap(six.getAddress(), 0, PREFIX_OCTETS));
        }
        return address == null ? "elsewhere" : address;
    }
}
