package io.verbena.verbs.trace.capture;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Writes the frames of one iWARP connection as TCP over IP. Each frame is a TCP segment of its own, as adapters send
 * them (RFC 5044 section 5.1): analysers keep their state by packet, and lose track of a packet with several messages.
 * The writer makes up TCP's own packets, which no provider reports. For one thread at a time.
 */
public final class IwarpWriter {
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int TCP = 6;
    private static final int HOPS = 64;
    private static final int MAX_PACKET = 65_535;
    private static final int IPV4_LENGTH = 4;
    private static final int DO_NOT_FRAGMENT = 0x4000;
    private static final int WINDOW = 0xffff;

    private static final int FIN = 0x01;
    private static final int SYN = 0x02;
    private static final int PSH = 0x08;
    private static final int ACK = 0x10;

    /** Maximum segment size, no operation, and the largest window scale (RFC 9293, RFC 7323). */
    private static final byte[] SYN_OPTIONS = {2, 4, (byte) 0xff, (byte) 0xd7, 1, 3, 3, 14};

    /** The distance of initial sequence numbers, large enough to distinguish connections between the same ports. */
    private static final int SEQUENCE_STEP = 0x12345671;

    /** The largest gap: with a gap over half of the sequence numbers, later octets look like earlier ones. */
    private static final long MAX_GAP = 1L << 30;

    private final PcapngWriter out;
    private final int networkInterface;
    private final byte[] initiatorAddress;
    private final byte[] responderAddress;
    private final int initiatorPort;
    private final int responderPort;
    private final ByteBuffer packet = ByteBuffer.allocate(MAX_PACKET);
    private int initiatorSequence;
    private int responderSequence;

    private IwarpWriter(
            PcapngWriter out,
            int networkInterface,
            InetSocketAddress initiator,
            InetSocketAddress responder,
            int number) {
        this.out = out;
        this.networkInterface = networkInterface;
        byte[] one = initiator.getAddress().getAddress();
        byte[] other = responder.getAddress().getAddress();
        boolean mixed = one.length != other.length;
        initiatorAddress = mixed ? mapped(one) : one;
        responderAddress = mixed ? mapped(other) : other;
        initiatorPort = initiator.getPort();
        responderPort = responder.getPort();
        initiatorSequence = (2 * number + 1) * SEQUENCE_STEP;
        responderSequence = (2 * number + 2) * SEQUENCE_STEP;
    }

    /** An IPv4 address as an IPv6 address. */
    private static byte[] mapped(byte[] address) {
        if (address.length != IPV4_LENGTH) {
            return address;
        }
        byte[] octets = new byte[16];
        octets[10] = (byte) 0xff;
        octets[11] = (byte) 0xff;
        System.arraycopy(address, 0, octets, 12, IPV4_LENGTH);
        return octets;
    }

    /**
     * Begins a connection: writes TCP's handshake.
     *
     * @param number the number of the connection, unique among those with the same ports; the sequence numbers are
     *     derived from it
     * @param comment a comment on the packets that the writer makes up, or null
     */
    public static IwarpWriter open(
            PcapngWriter out,
            int networkInterface,
            InetSocketAddress initiator,
            InetSocketAddress responder,
            int number,
            long nanos,
            String comment)
            throws IOException {
        IwarpWriter writer = new IwarpWriter(out, networkInterface, initiator, responder, number);
        writer.write(true, SYN, ByteBuffer.wrap(SYN_OPTIONS), 0, nanos, comment);
        writer.initiatorSequence++;
        writer.write(false, SYN | ACK, ByteBuffer.wrap(SYN_OPTIONS), 0, nanos, null);
        writer.responderSequence++;
        writer.write(true, ACK, packetOf(0), 0, nanos, null);
        return writer;
    }

    private static ByteBuffer packetOf(int length) {
        return ByteBuffer.allocate(length);
    }

    /**
     * Writes one frame, in one segment unless it is too long for an IP packet.
     *
     * @param fromInitiator the direction of the frame
     * @param frame from position to limit
     */
    public void frame(boolean fromInitiator, long nanos, ByteBuffer frame, String comment) throws IOException {
        String said = comment;
        int most = MAX_PACKET - TCP_HEADER - (initiatorAddress.length == IPV4_LENGTH ? IPV4_HEADER : IPV6_HEADER);
        while (frame.hasRemaining()) {
            int length = Math.min(frame.remaining(), most);
            ByteBuffer part = frame.slice(frame.position(), length);
            write(fromInitiator, ACK | PSH, part, length, nanos, said);
            frame.position(frame.position() + length);
            said = null;
        }
    }

    /** Skips the sequence numbers of octets that are not written, 1 GiB at most, so that analysers see the gap. */
    public void skip(boolean fromInitiator, long octets) {
        int gap = (int) Math.min(octets, MAX_GAP);
        if (fromInitiator) {
            initiatorSequence += gap;
        } else {
            responderSequence += gap;
        }
    }

    /** Ends the connection: writes the packets of TCP's close. */
    public void close(long nanos) throws IOException {
        write(true, FIN | ACK, packetOf(0), 1, nanos, null);
        write(false, FIN | ACK, packetOf(0), 1, nanos, null);
        write(true, ACK, packetOf(0), 0, nanos, null);
    }

    /**
     * @param rest the octets behind the 20 octets of TCP's header: options of a SYN, or payload
     * @param advance the increment of the sequence number
     */
    private void write(boolean fromInitiator, int flags, ByteBuffer rest, int advance, long nanos, String comment)
            throws IOException {
        int tcpLength = TCP_HEADER + rest.remaining();
        boolean isSyn = (flags & SYN) != 0;
        packet.clear();
        int pseudo = ip(fromInitiator, tcpLength);
        int tcp = packet.position();
        packet.putShort((short) (fromInitiator ? initiatorPort : responderPort));
        packet.putShort((short) (fromInitiator ? responderPort : initiatorPort));
        packet.putInt(fromInitiator ? initiatorSequence : responderSequence);
        packet.putInt((flags & ACK) == 0 ? 0 : fromInitiator ? responderSequence : initiatorSequence);
        int headerWords = (isSyn ? tcpLength : TCP_HEADER) / Integer.BYTES;
        packet.putShort((short) (headerWords << 12 | flags))
                .putShort((short) WINDOW)
                .putInt(0)
                .put(rest);
        packet.putShort(tcp + 16, checksum(sum(packet, tcp, tcpLength) + pseudo + TCP + tcpLength));
        out.packet(networkInterface, nanos, packet.flip(), comment);
        skip(fromInitiator, advance);
    }

    /** Writes the IP header. Returns the sum of its addresses, which TCP's checksum includes. */
    private int ip(boolean fromInitiator, int tcpLength) {
        byte[] source = fromInitiator ? initiatorAddress : responderAddress;
        byte[] destination = fromInitiator ? responderAddress : initiatorAddress;
        if (source.length == IPV4_LENGTH) {
            packet.putShort((short) 0x4500).putShort((short) (IPV4_HEADER + tcpLength));
            packet.putShort((short) 0).putShort((short) DO_NOT_FRAGMENT);
            packet.put((byte) HOPS).put((byte) TCP).putShort((short) 0);
            packet.put(source).put(destination);
            packet.putShort(10, checksum(sum(packet, 0, IPV4_HEADER)));
            return sum(packet, 12, 2 * IPV4_LENGTH);
        }
        packet.putInt(0x60000000).putShort((short) tcpLength).put((byte) TCP).put((byte) HOPS);
        packet.put(source).put(destination);
        return sum(packet, 8, 2 * source.length);
    }

    /** The sum of the 16-bit words; it does not overflow for 64 Ki octets. */
    private static int sum(ByteBuffer b, int from, int length) {
        int sum = 0;
        for (int i = 0; i + 1 < length; i += 2) {
            sum += Short.toUnsignedInt(b.getShort(from + i));
        }
        return (length & 1) == 0 ? sum : sum + ((b.get(from + length - 1) & 0xff) << 8);
    }

    /** The Internet checksum from a sum (RFC 1071). */
    private static short checksum(int sum) {
        int folded = (sum & 0xffff) + (sum >>> 16);
        return (short) ~((folded & 0xffff) + (folded >>> 16));
    }
}
