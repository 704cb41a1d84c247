package io.verbena.text;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Converts octets to text and back without loss. File names are octets, most but not all of them UTF-8 (RFC 8881
 * section 14.4). A String holds any name: well-formed UTF-8 is decoded as usual, and each other octet {@code 0xNN}
 * becomes the lone surrogate {@code U+DCNN}, which well-formed UTF-8 never yields. Stateless; any thread may call it.
 */
public final class OctetText {
    private static final int ESCAPED = 0xDC00;
    private static final String HEX = "0123456789ABCDEF";

    private OctetText() {}

    /** Decodes any octets; {@link #encode} returns the same octets. */
    public static String decode(byte[] octets) {
        return decode(ByteBuffer.wrap(octets));
    }

    /** Decodes the octets from the buffer's position to its limit. The buffer does not change. */
    public static String decode(ByteBuffer octets) {
        ByteBuffer in = octets.duplicate();
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder(); // reports malformed input
        CharBuffer out = CharBuffer.allocate(in.remaining()); // no octet yields more than one char
        while (true) {
            CoderResult result = decoder.decode(in, out, true);
            if (!result.isError()) {
                return out.flip().toString();
            }
            // only the first octet: the next one may begin a well-formed sequence
            out.put((char) (ESCAPED | (in.get() & 0xff)));
            decoder.reset();
        }
    }

    /**
     * Encodes a text as octets.
     *
     * @throws IllegalArgumentException where the text has a surrogate that stands for no octet and is not half of a
     *     pair
     */
    public static byte[] encode(String text) {
        int plain = plainLength(text);
        if (plain == text.length()) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length() + 16);
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            if (isOctet(point)) {
                out.write(point);
            } else if (Character.getType(point) == Character.SURROGATE) {
                throw new IllegalArgumentException("the name '" + escape(text) + "' has the lone surrogate U+"
                        + Integer.toHexString(point).toUpperCase(Locale.ROOT) + ", which stands for no octet");
            } else {
                out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
            at += Character.charCount(point);
        }
        return out.toByteArray();
    }

    /** Whether {@link #encode} accepts the text. */
    public static boolean isEncodable(String text) {
        for (int at = plainLength(text); at < text.length(); ) {
            int point = text.codePointAt(at);
            if (!isOctet(point) && Character.getType(point) == Character.SURROGATE) {
                return false;
            }
            at += Character.charCount(point);
        }
        return true;
    }

    /**
     * A line that is safe to print, whatever it was put together from: a character that is not {@link #isVisible}, and
     * an octet that is no part of well-formed UTF-8, is {@code \xNN} as {@link #escape} has it. A backslash stays a
     * backslash, so that names in the line that are escaped already stay as they are.
     */
    public static String printable(String text) {
        return shown(text, false);
    }

    /**
     * Whether a character is shown as itself. All others are invisible or change how the text around them is shown:
     * control characters, format characters (bidirectional overrides and isolates, marks of direction, zero-width
     * characters, tags), separators of lines and paragraphs, variation selectors, blank fillers, and code points that
     * are a surrogate, private or unassigned. A combining character is visible. Unicode's Default_Ignorable_Code_Point
     * is part of the others.
     */
    public static boolean isVisible(int point) {
        if (point < 0x7f) {
            return point >= ' ';
        }
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> !isIgnorable(point);
        };
    }

    /** Whether a letter or mark is Default_Ignorable_Code_Point (Unicode's DerivedCoreProperties.txt), or blank. */
    private static boolean isIgnorable(int point) {
        return switch (point) {
            case 0x034f, // combining grapheme joiner
                    0x115f, // Hangul fillers
                    0x1160,
                    0x3164,
                    0xffa0,
                    0x17b4, // inherent vowels of Khmer
                    0x17b5,
                    0x2800 // a Braille pattern without dots
            -> true;
            default ->
                (point >= 0x180b && point <= 0x180f)
                        || (point >= 0xfe00 && point <= 0xfe0f)
                        || (point >= 0xe0000 && point <= 0xe0fff);
        };
    }

    /** How many chars there are before the first surrogate. */
    private static int plainLength(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (Character.isSurrogate(text.charAt(at))) {
                return at;
            }
        }
        return text.length();
    }

    private static boolean isOctet(int point) {
        return point >= ESCAPED + 0x80 && point <= ESCAPED + 0xff;
    }

    /**
     * Makes a text readable: an octet outside of well-formed UTF-8, and each octet of a character that is not {@link
     * #isVisible}, becomes {@code \xNN} with upper-case digits; a backslash is doubled. {@link #unescape} reverts this.
     */
    public static String escape(String text) {
        return shown(text, true);
    }

    private static String shown(String text, boolean doublesBackslashes) {
        StringBuilder shown = null;
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            boolean special = (point == '\\' && doublesBackslashes) || !isVisible(point);
            if (special && shown == null) {
                shown = new StringBuilder(text.length() + 16).append(text, 0, at);
            }
            if (shown != null) {
                append(shown, point, special);
            }
            at += Character.charCount(point);
        }
        return shown == null ? text : shown.toString();
    }

    private static void append(StringBuilder shown, int point, boolean special) {
        if (!special) {
            shown.appendCodePoint(point);
        } else if (point == '\\') {
            shown.append("\\\\");
        } else if (isOctet(point)) {
            appendOctet(shown, point);
        } else if (Character.getType(point) == Character.SURROGATE) {
            shown.append('\ufffd'); // stands for no octet, and does not occur in names
        } else {
            for (byte octet : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
                appendOctet(shown, octet);
            }
        }
    }

    private static void appendOctet(StringBuilder shown, int octet) {
        shown.append("\\x").append(HEX.charAt(octet >> 4 & 0xf)).append(HEX.charAt(octet & 0xf));
    }

    /**
     * Reverts {@link #escape}; hexadecimal digits may have either case. A backslash that begins neither {@code \\} nor
     * {@code \xNN} stands for itself.
     */
    public static String unescape(String shown) {
        if (shown.indexOf('\\') < 0) {
            return shown;
        }
        ByteArrayOutputStream octets = new ByteArrayOutputStream(shown.length());
        int at = 0;
        while (at < shown.length()) {
            int value = octetAt(shown, at);
            if (value >= 0) {
                octets.write(value);
                at += 4;
            } else if (shown.startsWith("\\\\", at)) {
                octets.write('\\');
                at += 2;
            } else {
                int end = shown.indexOf('\\', at + 1);
                int to = end < 0 ? shown.length() : end;
                octets.writeBytes(encode(shown.substring(at, to)));
                at = to;
            }
        }
        return decode(octets.toByteArray());
    }

    /** The octet of {@code \xNN} at this index, or -1. */
    private static int octetAt(String shown, int at) {
        if (!shown.startsWith("\\x", at) || at + 4 > shown.length()) {
            return -1;
        }
        int high = Character.digit(shown.charAt(at + 2), 16);
        int low = Character.digit(shown.charAt(at + 3), 16);
        boolean isHex = high >= 0 && low >= 0 && shown.charAt(at + 2) < 0x80 && shown.charAt(at + 3) < 0x80;
        return isHex ? high << 4 | low : -1;
    }
}
