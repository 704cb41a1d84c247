package io.verbena.verbs;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Distinguishes hosts by their addresses, for limits per host. */
public final class HostAddresses {
    private static final int IPV6_OCTETS = 16;
    private static final int PREFIX_OCTETS = 8;

    private HostAddresses() {}

    /**
     * The common part of a host's addresses: for IPv6 the network's prefix of 64 bits, since one host may use all
     * addresses of a network (RFC 4291 section 2.5.4, RFC 8981); for IPv4 the whole address.
     */
    public static InetAddress hostOf(InetAddress address) {
        if (!(address instanceof Inet6Address) || address.isLinkLocalAddress() || address.isLoopbackAddress()) {
            return address;
        }
        byte[] octets = address.getAddress();
        Arrays.fill(octets, PREFIX_OCTETS, IPV6_OCTETS, (byte) 0);
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("16 octets are an address of IPv6", e);
        }
    }

    /**
     * Chooses the pending entry to drop for a new one when there are too many: the oldest entry of the host that has
     * the most. So a host that floods a listener displaces only its own entries.
     *
     * @param oldestFirst the pending entries and their hosts; at least one
     * @param newcomer the host of the new entry, which counts for the host
     */
    public static <T> T oldestOfTheMost(Map<T, InetAddress> oldestFirst, InetAddress newcomer) {
        Map<InetAddress, Integer> counts = new HashMap<>(Map.of(newcomer, 1));
        oldestFirst.values().forEach(host -> counts.merge(host, 1, Integer::sum));
        int highest = oldestFirst.values().stream().mapToInt(counts::get).max().orElseThrow();
        return oldestFirst.entrySet().stream()
                .filter(each -> counts.get(each.getValue()) == highest)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }
}
