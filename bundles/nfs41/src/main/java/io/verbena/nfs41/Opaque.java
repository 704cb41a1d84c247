package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Octets that mean something to their maker only, compared by content; immutable. */
public final class Opaque {
    public static final Opaque EMPTY = new Opaque(new byte[0]);

    private final byte[] bytes;
    private final int hash;

    private Opaque(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /** A copy of the octets. */
    public static Opaque of(byte... bytes) {
        return new Opaque(bytes.clone());
    }

    /** The octets of a string in UTF-8. */
    public static Opaque of(String text) {
        return new Opaque(text.getBytes(StandardCharsets.UTF_8));
    }

    public int length() {
        return bytes.length;
    }

    /** A copy of the octets. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /** Writes a variable-length opaque. */
    public void encode(XdrWriter out) {
        out.putOpaque(bytes);
    }

    /** Reads a variable-length opaque of at most {@code max} octets. */
    public static Opaque decode(XdrReader in, int max) throws XdrException {
        return new Opaque(in.getOpaque(max));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Opaque that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The octets in hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
