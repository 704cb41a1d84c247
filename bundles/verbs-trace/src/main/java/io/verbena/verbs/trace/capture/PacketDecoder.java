package io.verbena.verbs.trace.capture;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds TCP segments in packets, behind headers of Ethernet, Linux's cooked headers, headers of a loopback interface,
 * or IP alone. The decoder compares each length in a packet with the captured octets before it uses the length.
 */
final class PacketDecoder {
    // LINKTYPE_ numbers
    private static final int NULL = 0;
    private static final int ETHERNET = 1;
    private static final int RAW_BSD = 12;
    private static final int RAW_OPENBSD = 14;
    static final int RAW = 101;
    private static final int LOOP = 108;
    private static final int LINUX_SLL = 113;
    private static final int IPV4_ONLY = 228;
    private static final int IPV6_ONLY = 229;
    private static final int LINUX_SLL2 = 276;

    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int ETHERTYPE_IPV6 = 0x86dd;
    private static final int ETHERTYPE_VLAN = 0x8100;
    private static final int ETHERTYPE_SERVICE_VLAN = 0x88a8;
    private static final int VLAN_TAG = 4;

    private static final int IPV4_HEADER = 20;
    private static final int IPV4_FRAGMENTS = 0x3fff; // a fragment offset, or the flag for more fragments
    private static final int IPV6_HEADER = 40;
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int FRAGMENTS = 0xfff9;
    private static final int AUTHENTICATION = 51;
    private static final int DESTINATION_OPTIONS = 60;

    private static final int TCP = 6;
    private static final int TCP_HEADER = 20;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;

    private final Set<Integer> unknown = new TreeSet<>();
    private long fragments;

    /** The number of skipped packets that hold a fragment of a datagram. */
    long fragments() {
        return fragments;
    }

    /** The unknown link types found; their packets are skipped. */
    Set<Integer> unknownLinkTypes() {
        return unknown;
    }

    /** The TCP segment in a packet, or null. */
    TcpSegment decode(CapturedPacket packet) {
        ByteBuffer b = packet.data();
        int at =
                switch (packet.linkType()) {
                    case ETHERNET -> behindEthertype(b, 12);
                    case LINUX_SLL -> behindEthertype(b, 14);
                    case LINUX_SLL2 -> isIp(b, 0) ? 20 : b.limit();
                    case NULL, LOOP -> 4;
                    case RAW, RAW_BSD, RAW_OPENBSD, IPV4_ONLY, IPV6_ONLY -> 0;
                    default -> {
                        unknown.add(packet.linkType());
                        yield b.limit();
                    }
                };
        if (at >= b.limit()) {
            return null;
        }
        int version = b.get(at) >> 4 & 0xf;
        return version == 4 ? ipv4(b, at, packet) : version == 6 ? ipv6(b, at, packet) : null;
    }

    private static boolean isIp(ByteBuffer b, int at) {
        int type = at + Short.BYTES <= b.limit() ? Short.toUnsignedInt(b.getShort(at)) : 0;
        return type == ETHERTYPE_IPV4 || type == ETHERTYPE_IPV6;
    }

    /** The offset of the IP header behind an ethertype, or the packet's end for another protocol. */
    private static int behindEthertype(ByteBuffer b, int typeOffset) {
        int at = typeOffset;
        while (at + VLAN_TAG <= b.limit()) {
            int type = Short.toUnsignedInt(b.getShort(at));
            if (type != ETHERTYPE_VLAN && type != ETHERTYPE_SERVICE_VLAN) {
                return isIp(b, at) ? at + Short.BYTES : b.limit();
            }
            at += VLAN_TAG;
        }
        return b.limit();
    }

    private TcpSegment ipv4(ByteBuffer b, int at, CapturedPacket packet) {
        int headerLength = (b.get(at) & 0xf) * 4;
        if (headerLength < IPV4_HEADER || b.limit() - at < headerLength || b.get(at + 9) != TCP) {
            return null;
        }
        if ((b.getShort(at + 6) & IPV4_FRAGMENTS) != 0) {
            fragments++;
            return null;
        }
        int total = Short.toUnsignedInt(b.getShort(at + 2));
        int end = total == 0 ? b.limit() : Math.min(b.limit(), at + total); // 0: the length exceeds the field
        return tcp(b, at + headerLength, end, address(b, at + 12, 4), address(b, at + 16, 4), packet);
    }

    private TcpSegment ipv6(ByteBuffer b, int at, CapturedPacket packet) {
        if (b.limit() - at < IPV6_HEADER) {
            return null;
        }
        int length = Short.toUnsignedInt(b.getShort(at + 4));
        int end = length == 0 ? b.limit() : Math.min(b.limit(), at + IPV6_HEADER + length);
        int next = b.get(at + 6) & 0xff;
        int next0 = at + IPV6_HEADER;
        while (next != TCP) {
            if (end - next0 < 8) {
                return null;
            }
            int words = b.get(next0 + 1) & 0xff;
            int extension =
                    switch (next) {
                        case HOP_BY_HOP, ROUTING, DESTINATION_OPTIONS -> (words + 1) * 8;
                        case AUTHENTICATION -> (words + 2) * 4;
                        case FRAGMENT -> 8;
                        default -> 0; // not TCP
                    };
            if (extension == 0) {
                return null;
            }
            if (next == FRAGMENT && (b.getShort(next0 + 2) & FRAGMENTS) != 0) {
                fragments++;
                return null;
            }
            next = b.get(next0) & 0xff;
            next0 += extension;
        }
        return tcp(b, next0, end, address(b, at + 8, 16), address(b, at + 24, 16), packet);
    }

    private static InetAddress address(ByteBuffer b, int at, int length) {
        byte[] octets = new byte[length];
        b.get(at, octets);
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + length + " octets", e);
        }
    }

    private static TcpSegment tcp(
            ByteBuffer b, int at, int end, InetAddress source, InetAddress destination, CapturedPacket packet) {
        if (end - at < TCP_HEADER) {
            return null;
        }
        int headerLength = (b.get(at + 12) >> 4 & 0xf) * 4;
        if (headerLength < TCP_HEADER) {
            return null;
        }
        Flow flow = new Flow(
                new InetSocketAddress(source, Short.toUnsignedInt(b.getShort(at))),
                new InetSocketAddress(destination, Short.toUnsignedInt(b.getShort(at + 2))));
        int flags = b.get(at + 13);
        int payload = Math.min(at + headerLength, end);
        return new TcpSegment(
                flow,
                b.getInt(at + 4),
                (flags & SYN) != 0,
                (flags & ACK) != 0,
                b.slice(payload, end - payload),
                packet);
    }
}
