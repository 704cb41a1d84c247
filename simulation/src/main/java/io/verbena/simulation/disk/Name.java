package io.verbena.simulation.disk;

import io.verbena.text.OctetText;
import java.util.Arrays;

/**
 * A name in a directory. Names are ordered by a hash of their octets, and by the octets where hashes are equal: a
 * program that relies on the order of the alphabet fails here as on ext4.
 */
final class Name implements Comparable<Name> {
    private static final int MAX_LENGTH = 255;
    private static final int FACTOR = 0x9e3779b1;

    private final byte[] octets;
    private final int hash;

    private Name(byte[] octets) {
        this.octets = octets;
        int mixed = Arrays.hashCode(octets) * FACTOR;
        hash = (mixed ^ mixed >>> 15) * FACTOR;
    }

    /** Refuses an array that is not one name. */
    static Name of(byte[] octets) {
        requireText(octets);
        boolean isDots = octets.length <= 2 && octets[0] == '.' && octets[octets.length - 1] == '.';
        for (byte octet : octets) {
            if (octet == '/' || isDots) {
                throw new IllegalArgumentException("not a name: " + printable(octets));
            }
        }
        return new Name(octets.clone());
    }

    /** Refuses an empty array, and one with a zero. */
    static byte[] requireText(byte[] text) {
        boolean isText = text.length > 0;
        for (byte octet : text) {
            isText &= octet != 0;
        }
        if (!isText) {
            throw new IllegalArgumentException("neither a name nor the text of a link: " + printable(text));
        }
        return text;
    }

    boolean isTooLong() {
        return octets.length > MAX_LENGTH;
    }

    /** A copy. */
    byte[] octets() {
        return octets.clone();
    }

    private static String printable(byte[] octets) {
        return OctetText.escape(OctetText.decode(octets));
    }

    @Override
    public int compareTo(Name other) {
        int order = Integer.compare(hash, other.hash);
        return order != 0 ? order : Arrays.compareUnsigned(octets, other.octets);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Name name && Arrays.equals(octets, name.octets);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Printable, for messages. */
    @Override
    public String toString() {
        return printable(octets);
    }
}
