package io.verbena.nfs.transfer;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A limit of the rate that depends on the time of day, in the words of rclone's {@code --bwlimit}: {@code 08:00,512k
 * 19:00,10M 23:00,off}. A rate is a number of octets a second, with {@code k}, {@code M} or {@code G} for multiples of
 * 1000 and {@code Ki}, {@code Mi} or {@code Gi} for multiples of 1024; {@code off} is no limit. A time may
 * follow a day of the week: {@code Sat-10:00,1M}; a time without a day is of every day, and gives way to the same time
 * of one day. A rate holds from its time until the next one, also over midnight. A single rate without a time always
 * holds. Immutable.
 */
public final class RateTimetable {
    private static final Pattern RATE = Pattern.compile("([1-9][0-9]{0,17})([kKMG]?)(i?)");
    private static final Pattern ENTRY = Pattern.compile("(?:([A-Za-z]{3})-)?([0-9]{1,2}):([0-9]{2}),(.+)");
    private static final int MAX_ENTRIES = 1000;
    private static final int MINUTES_PER_HOUR = 60;
    private static final int MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

    /** An entry. The minute is counted from the start of Monday. */
    private record Entry(int minute, boolean isOfOneDay, long rate) {}

    private final List<Entry> entries;

    private RateTimetable(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /**
     * Parses a rate or a timetable.
     *
     * @throws IllegalArgumentException if the text is neither; the message has one line
     */
    public static RateTimetable parse(String text) {
        String[] words = text.strip().split("\\s+", -1);
        if (words.length == 1 && words[0].indexOf(',') < 0) {
            return new RateTimetable(List.of(new Entry(0, false, rate(words[0]))));
        }
        if (words.length > MAX_ENTRIES) {
            throw new IllegalArgumentException("a timetable has at most " + MAX_ENTRIES + " entries");
        }
        List<Entry> entries = new ArrayList<>();
        for (String word : words) {
            entries.addAll(entries(word));
        }
        entries.sort(Comparator.comparingInt(Entry::minute).thenComparing(Entry::isOfOneDay));
        return new RateTimetable(entries);
    }

    private static List<Entry> entries(String word) {
        Matcher matcher = ENTRY.matcher(word);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(word + " is no time and rate, as 08:00,512k or Sat-10:00,off");
        }
        int hour = Integer.parseInt(matcher.group(2));
        int minute = Integer.parseInt(matcher.group(3));
        if (hour >= LocalTime.MAX.getHour() + 1 || minute >= MINUTES_PER_HOUR) {
            throw new IllegalArgumentException(word + ": the time is from 00:00 to 23:59");
        }
        Optional<DayOfWeek> only = Optional.ofNullable(matcher.group(1)).map(RateTimetable::day);
        long rate = rate(matcher.group(4));
        return Arrays.stream(DayOfWeek.values())
                .filter(day -> only.isEmpty() || only.get() == day)
                .map(day -> new Entry(
                        (day.getValue() - 1) * MINUTES_PER_DAY + hour * MINUTES_PER_HOUR + minute,
                        only.isPresent(),
                        rate))
                .toList();
    }

    private static DayOfWeek day(String text) {
        return Arrays.stream(DayOfWeek.values())
                .filter(day -> day.name().substring(0, 3).equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException(text + " is no day: Mon, Tue, Wed, Thu, Fri, Sat, Sun"));
    }

    private static long rate(String text) {
        if (text.equals("off")) {
            return 0;
        }
        Matcher matcher = RATE.matcher(text);
        boolean isRate = matcher.matches()
                && (matcher.group(3).isEmpty() || !matcher.group(2).isEmpty());
        if (!isRate) {
            throw noRate(text);
        }
        long base = matcher.group(3).isEmpty() ? 1000 : 1024;
        long factor =
                switch (matcher.group(2)) {
                    case "k", "K" -> base;
                    case "M" -> base * base;
                    case "G" -> base * base * base;
                    default -> 1;
                };
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), factor);
        } catch (ArithmeticException e) {
            throw noRate(text);
        }
    }

    private static IllegalArgumentException noRate(String text) {
        return new IllegalArgumentException(text
                + " is no rate: it is a number of octets a second, as 500k, 10M or 1G, in multiples of 1000, or off");
    }

    /**
     * Returns the limit at a time.
     *
     * @param time the time of the place whose times the table has
     * @return the limit in octets a second; 0 for no limit
     */
    public long rateAt(LocalDateTime time) {
        int minute = (time.getDayOfWeek().getValue() - 1) * MINUTES_PER_DAY
                + time.getHour() * MINUTES_PER_HOUR
                + time.getMinute();
        List<Entry> latestFirst = new ArrayList<>(entries);
        Collections.reverse(latestFirst);
        return latestFirst.stream()
                .filter(entry -> entry.minute() <= minute)
                .findFirst()
                .orElse(latestFirst.get(0)) // of the week before
                .rate();
    }
}
