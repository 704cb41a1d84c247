package io.verbena.memory.internal;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of octets as people write and read them. */
final class Octets {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmgt]?)", Pattern.CASE_INSENSITIVE);
    private static final String UNITS = "kmgt";
    private static final int SHIFT = 10;

    private Octets() {}

    /**
     * Reads a number with or without one of the units k, m, g and t, which are powers of 1024.
     *
     * @throws IllegalArgumentException for anything else
     */
    static long parse(String text) {
        Matcher matcher = SIZE.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no number of octets: write 512m, 2g or 1073741824");
        }
        int shift = matcher.group(2).isEmpty()
                ? 0
                : SHIFT * (1 + UNITS.indexOf(matcher.group(2).toLowerCase(Locale.ROOT)));
        long number = Long.parseLong(matcher.group(1));
        if (number > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException("'" + text + "' is more octets than a number holds");
        }
        return number << shift;
    }

    static String text(long octets) {
        if (octets < 1 << SHIFT) {
            return octets + " octets";
        }
        return octets < 1 << (2 * SHIFT)
                ? String.format(Locale.ROOT, "%.1f KiB", octets / (double) (1 << SHIFT))
                : String.format(Locale.ROOT, "%.1f MiB", octets / (double) (1 << (2 * SHIFT)));
    }
}
