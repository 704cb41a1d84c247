package io.verbena.dirfd.internal;

import io.verbena.text.OctetText;

/** Names and texts as octets. */
public final class Octets {
    private Octets() {}

    /**
     * Refuses what is not one name.
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

    /** Refuses no octets at all, and a zero. */
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

    /** Whether a name is that of the directory itself, or of the one that it is in. */
    public static boolean isDots(byte[] name) {
        return name.length > 0 && name.length <= 2 && name[0] == '.' && name[name.length - 1] == '.';
    }

    /** For messages. */
    public static String printable(byte[] name) {
        return OctetText.escape(OctetText.decode(name));
    }
}
