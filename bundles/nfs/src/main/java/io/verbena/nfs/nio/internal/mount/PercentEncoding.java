package io.verbena.nfs.nio.internal.mount;

import io.verbena.text.OctetText;
import java.io.ByteArrayOutputStream;

/**
 * Encodes octets in URIs (RFC 3986 section 2.1): each octet that is not a plain character of a path becomes
 * {@code %NN}.
 */
final class PercentEncoding {
    /** Characters that are not encoded, beside letters and digits of ASCII. */
    private static final String PLAIN = "/-_.!~*'():@&=+$,;";

    private static final String HEX = "0123456789ABCDEF";

    private PercentEncoding() {}

    /** Encodes a text of {@link OctetText}. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte octet : OctetText.encode(text)) {
            char c = (char) (octet & 0xff);
            boolean isPlain =
                    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || PLAIN.indexOf(c) >= 0;
            if (isPlain) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
            }
        }
        return encoded.toString();
    }

    /**
     * Decodes a raw part of a {@link java.net.URI}, which guarantees two hexadecimal digits after each percent sign.
     */
    static String decode(String raw) {
        if (raw.indexOf('%') < 0) {
            return raw;
        }
        ByteArrayOutputStream octets = new ByteArrayOutputStream(raw.length());
        for (int at = 0; at < raw.length(); ) {
            if (raw.charAt(at) == '%') {
                octets.write(Integer.parseInt(raw, at + 1, at + 3, 16));
                at += 3;
            } else {
                int next = raw.indexOf('%', at);
                int to = next < 0 ? raw.length() : next;
                octets.writeBytes(OctetText.encode(raw.substring(at, to)));
                at = to;
            }
        }
        return OctetText.decode(octets.toByteArray());
    }
}
