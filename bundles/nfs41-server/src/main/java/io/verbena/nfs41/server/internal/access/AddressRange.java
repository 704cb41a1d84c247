package io.verbena.nfs41.server.internal.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;

/** The addresses that begin with the same bits (RFC 4632 section 3.1, RFC 4291 section 2.3). Immutable. */
final class AddressRange {
    /** All addresses of IPv4 and IPv6. */
    static final AddressRange ANY = new AddressRange(new byte[0], 0);

    private static final String ANY_NAME = "any";
    private static final int BITS = Byte.SIZE;
    private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern LITERAL = Pattern.compile(OCTET + "(?:\\." + OCTET + "){3}|[0-9a-f.]*:[0-9a-f:.]*");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,3}");

    private final byte[] network;
    private final int bits;

    /**
     * @param network an address of the range in its octets; empty for all addresses
     * @param bits how many bits are compared
     */
    private AddressRange(byte[] network, int bits) {
        this.network = network;
        this.bits = bits;
    }

    /**
     * Reads {@code ADDRESS}, {@code ADDRESS/BITS} or {@code any}. Looks no name up: what a name server answers would
     * decide who may connect.
     *
     * @throws IllegalArgumentException with a message for people
     */
    static AddressRange parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.equals(ANY_NAME)) {
            return ANY;
        }
        int slash = lower.indexOf('/');
        String address = slash < 0 ? lower : lower.substring(0, slash);
        byte[] octets = octets(address, text);
        int all = octets.length * BITS;
        if (slash < 0) {
            return new AddressRange(octets, all);
        }
        String bits = lower.substring(slash + 1);
        if (!NUMBER.matcher(bits).matches() || Integer.parseInt(bits) > all) {
            throw new IllegalArgumentException(
                    "'" + text + "': after the slash there is a number of bits, 0 to " + all);
        }
        return new AddressRange(octets, Integer.parseInt(bits));
    }

    private static byte[] octets(String address, String text) {
        if (LITERAL.matcher(address).matches()) {
            try {
                return InetAddress.getByName(address).getAddress();
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(notAnAddress(text), e);
            }
        }
        throw new IllegalArgumentException(notAnAddress(text));
    }

    private static String notAnAddress(String text) {
        return "'" + text + "' is no address: write 192.0.2.7, 192.0.2.0/24, 2001:db8::/32 or any";
    }

    boolean contains(InetAddress address) {
        if (network.length == 0) {
            return true;
        }
        byte[] octets = address.getAddress();
        if (octets.length != network.length) {
            return false;
        }
        for (int i = 0; i < octets.length && i * BITS < bits; i++) {
            int left = Math.min(BITS, bits - i * BITS);
            int mask = 0xff << (BITS - left);
            if (((octets[i] ^ network[i]) & mask & 0xff) != 0) {
                return false;
            }
        }
        return true;
    }
}
