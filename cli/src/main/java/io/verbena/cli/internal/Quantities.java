package io.verbena.cli.internal;

import io.verbena.cli.Text;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses sizes, numbers and times as users write them. All methods throw {@link IllegalArgumentException} with the line
 * to show.
 */
public final class Quantities {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,19})([kKmMgGtTpPeE]?)(?:[iI][bB])?");
    private static final String UNITS = "KMGTPE";
    private static final int BITS_PER_UNIT = 10;
    private static final Pattern AGE = Pattern.compile("([0-9]{1,9})([smhdw])");
    private static final Map<String, Duration> AGES = Map.of(
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1),
            "w", Duration.ofDays(7));

    private Quantities() {}

    /** Parses a number of octets: {@code 4096}, {@code 64K}, {@code 1M}, {@code 2GiB}. Units are powers of 1024. */
    public static long octets(String option, String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            throw invalid(option, text, "it is a number of octets, or of K, M, G, T, P or E like 64K");
        }
        int unit = size.group(2).isEmpty() ? 0 : UNITS.indexOf(size.group(2).toUpperCase(Locale.ROOT)) + 1;
        try {
            return Math.multiplyExact(Long.parseLong(size.group(1)), 1L << (BITS_PER_UNIT * unit));
        } catch (ArithmeticException | NumberFormatException e) {
            throw invalid(option, text, "no file is as large as that");
        }
    }

    /** Parses a non-negative integer. */
    public static long number(String option, String text) {
        if (!text.matches("[0-9]{1,18}")) {
            throw invalid(option, text, "it is a whole number");
        }
        return Long.parseLong(text);
    }

    /**
     * Parses an integer within bounds. The lower bound is not negative.
     *
     * @param what the start of the line to show: {@code a port is a number}
     */
    public static int number(String option, String text, String what, int least, int most) {
        long number = text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
        if (number < least || number > most) {
            throw invalid(option, text, what + " from " + least + " to " + most);
        }
        return (int) number;
    }

    /** Parses a duration in seconds, with decimals. */
    public static Duration seconds(String option, String text) {
        if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,3})?")) {
            throw invalid(option, text, "it is a number of seconds like 10 or 0.5");
        }
        return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1_000));
    }

    /**
     * Parses a time: {@code now}, {@code 2026-01-31}, {@code 2026-01-31T12:00:00} (both in UTC), {@code
     * 2026-01-31T12:00:00Z}, seconds since 1970 like {@code @1700000000}, or a duration before now: {@code 90s}, {@code
     * 5m}, {@code 2h}, {@code 3d}, {@code 1w}.
     */
    public static Instant time(String option, String text, Instant now) {
        Matcher age = AGE.matcher(text);
        try {
            if (text.equals("now")) {
                return now;
            } else if (age.matches()) {
                return now.minus(AGES.get(age.group(2)).multipliedBy(Long.parseLong(age.group(1))));
            } else if (text.matches("@-?[0-9]{1,11}")) {
                return Instant.ofEpochSecond(Long.parseLong(text.substring(1)));
            } else if (text.matches("[0-9-]+")) {
                return LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
            }
            return text.endsWith("Z")
                    ? Instant.parse(text)
                    : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    message(
                            option,
                            text,
                            "it is a time like 2026-01-31, 2026-01-31T12:00:00Z, now, or 3d for three days ago"),
                    e);
        }
    }

    private static IllegalArgumentException invalid(String option, String text, String rule) {
        return new IllegalArgumentException(message(option, text, rule));
    }

    private static String message(String option, String text, String rule) {
        return option + " " + Text.printable(text) + ": " + rule;
    }
}
