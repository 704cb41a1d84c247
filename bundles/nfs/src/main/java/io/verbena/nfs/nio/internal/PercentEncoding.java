package io.verbena.nfs.nio.internal;

import io.verbena.text.OctetText;
import java.io.ByteArrayOutputStream;

/** Octets in URIs (RFC 3986 section 2.1): each that is no plain character of a path is {@code %NN}. */
final class PercentEncoding {
    /** What stands for itself in a path, beside letters and digits of ASCII. */
    private static final String PLAIN = "/-_.!~*'():@&=+$,;";

    private static final String HEX = "0123456789ABCDEF";

    private PercentEncoding() {}

    /** Of a text that {@link OctetText} made. */
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

    /** Of the raw part of a {@link java.net.URI}, which has two hexadecimal digits behind each percent sign. */
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
