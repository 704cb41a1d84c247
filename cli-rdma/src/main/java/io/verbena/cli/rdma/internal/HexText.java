package io.verbena.cli.rdma.internal;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Parses octets as people and tools write them: hex digits, optionally with blanks, colons or 0x between them. */
final class HexText {
    private HexText() {}

    /**
     * Parses a text of hex digits.
     *
     * @throws IllegalArgumentException if the text is not hex digits
     */
    static ByteBuffer parse(String text) {
        String digits = text.replaceAll("\\b0[xX]", "").replaceAll("[\\s:]", "");
        if (!isDigits(digits)) {
            throw new IllegalArgumentException("what is to be decoded are hex digits; blanks and colons may stand in"
                    + " between, and nothing else");
        }
        if (digits.isEmpty() || digits.length() % 2 != 0) {
            throw new IllegalArgumentException(digits.length() + " hex digits are no whole octets");
        }
        return ByteBuffer.wrap(HexFormat.of().parseHex(digits));
    }

    /**
     * Returns whether the octets of a file are a text of hex digits. A binary header is not, because its version
     * contains zero octets.
     */
    static boolean isText(byte[] octets) {
        for (byte octet : octets) {
            boolean digit = octet >= 0 && HexFormat.isHexDigit(octet);
            if (!digit && !Character.isWhitespace(octet) && octet != ':' && octet != 'x' && octet != 'X') {
                return false;
            }
        }
        return octets.length > 0;
    }

    private static boolean isDigits(String text) {
        return text.chars().allMatch(HexFormat::isHexDigit);
    }
}
