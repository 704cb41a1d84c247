package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.Text;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The range of octets of a lock.
 *
 * @param position the position of the first octet
 * @param size the number of octets; {@link Long#MAX_VALUE} for all following octets
 */
record LockRange(long position, long size) {
    private static final Pattern RANGE = Pattern.compile("([0-9]{1,18})-([0-9]{1,18})?");

    /** Parses {@code A-B}, with both ends included, or {@code A-}. */
    static LockRange parse(String text) {
        Matcher range = RANGE.matcher(text);
        if (range.matches()) {
            long first = Long.parseLong(range.group(1));
            if (range.group(2) == null) {
                return new LockRange(first, Long.MAX_VALUE);
            }
            long last = Long.parseLong(range.group(2));
            if (last >= first) {
                return new LockRange(first, last - first + 1);
            }
        }
        throw new IllegalArgumentException("--range " + Text.printable(text)
                + ": it is the first and the last octet like 0-4095, or the first like 4096-");
    }
}
