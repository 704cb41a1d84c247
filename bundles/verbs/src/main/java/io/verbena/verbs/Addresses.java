package io.verbena.verbs;

import java.net.InetSocketAddress;

/** Socket addresses in messages. */
public final class Addresses {
    private Addresses() {}

    /**
     * Returns an address as people write it: the host, a colon and the port. An IPv6 address is in brackets (RFC 3986
     * section 3.2.2). The host is the name, if the address was made of one. No name is looked up. Any thread may call
     * this.
     */
    public static String text(InetSocketAddress address) {
        return text(address.getHostString(), address.getPort());
    }

    /** As {@link #text(InetSocketAddress)}, but with the number of the host, if that is known. */
    public static String numeric(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return text(host, address.getPort());
    }

    private static String text(String host, int port) {
        return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + port;
    }
}
