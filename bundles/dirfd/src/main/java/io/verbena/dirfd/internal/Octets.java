package io.verbena.dirfd.internal;

import io.verbena.text.OctetText;

/** Checks names and link targets that are octets. */
public final class Octets {
    private Octets() {}

    /**
     * Refuses an array that is not one name.
     *
     * @return the name
     */
    public static byte[] requireName(byte[] name) {
        for (byte octet : requireText(name)) {
            if (octet == '/') {
                throw new IllegalArgumentException("not a name: " + printable(name));
            }
        }
        if (isDots(name)) {
            throw new IllegalArgumentException("not a name: " + printable(name));
        }
        return name;
    }

    /** Refuses an empty array, and one with a zero. */
    public static byte[] requireText(byte[] text) {
        boolean isText = text.length > 0;
        for (byte octet : text) {
            isText &= octet != 0;
        }
        if (!isText) {
            throw new IllegalArgumentException("neither a name nor the text of a link: " + printable(text));
        }
        return text;
    }

    /** Whether a name is {@code .} or {@code ..}. */
    public static boolean isDots(byte[] name) {
        return name.length > 0 && name.length <= 2 && name[0] == '.' && name[name.length - 1] == '.';
    }

    /** The name as text for messages. */
    public static String printable(byte[] name) {
        return OctetText.escape(OctetText.decode(name));
    }
}
