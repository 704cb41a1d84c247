package io.verbena.cli;

import io.verbena.text.OctetText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.karaf.shell.support.table.ShellTable;

/** How things look in print: stable, and the same for every command. */
public final class Text {
    /** What {@link #swaps} tells of settings. */
    public static final Set<String> OF_SWAPS = Set.of("swaps", "replayed", "lastSwap");

    /** The width of a table's column for {@link #provider}. */
    public static final int PROVIDER_WIDTH = 24;

    /** The width of a table's column for {@link #swaps}. */
    public static final int SWAPS_WIDTH = 36;

    static final int PAIRS_WIDTH = 72;
    private static final String SIZE_UNITS = "KMGTPE";
    private static final int SIZE_STEP = 1_024;

    private Text() {}

    /**
     * A name, or a path, as people see it and as commands read it: {@link OctetText#escape}. The name comes from a peer or
     * a disk, and is any octets.
     */
    public static String name(String name) {
        return OctetText.escape(name);
    }

    /**
     * A line that is safe to print, whatever it was put together from: a control character, and an octet that is no part
     * of well-formed UTF-8, is {@code \xNN} as in {@link #name}. A backslash stays one, so that names in it which are
     * escaped already stay as they are.
     */
    public static String printable(String text) {
        StringBuilder result = new StringBuilder(text.length());
        text.codePoints()
                .forEach(point -> result.append(point == '\\' ? "\\" : OctetText.escape(Character.toString(point))));
        return result.toString();
    }

    /** ISO 8601 in UTC, to the second. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** A number of octets as {@code ls -h} shows it, rounded up: {@code 1023}, {@code 1.5K}, {@code 23M}. */
    public static String size(long octets) {
        double size = octets;
        int unit = -1;
        // what would be rounded up to the next unit's first is that
        while (Math.ceil(size) >= SIZE_STEP && unit < SIZE_UNITS.length() - 1) {
            size /= SIZE_STEP;
            unit++;
        }
        if (unit < 0) {
            return Long.toString(octets);
        }
        double tenths = Math.ceil(size * 10) / 10;
        return (tenths < 10 ? Double.toString(tenths) : Long.toString((long) Math.ceil(size)))
                + SIZE_UNITS.charAt(unit);
    }

    /** {@code key=value} pairs in a line, those without a value left out. */
    public static String pairs(Map<?, ?> values) {
        return values.entrySet().stream()
                .filter(entry -> !String.valueOf(entry.getValue()).isEmpty())
                .map(entry -> printable(entry.getKey() + "=" + entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Adds a column whose text takes as many lines as it needs, of that width at most. */
    public static void wrappedColumn(ShellTable table, String header, int width) {
        table.column(new WrappedColumn(header, width));
    }

    /**
     * A provider, its device where there is one, and why it is that provider, as settings tell:
     * {@code native rxe0 (auto: rxe0 has a route)}; a dash while none is settled.
     */
    public static String provider(Map<String, String> settings) {
        String reason = settings.get("providerChoice");
        String device = settings.getOrDefault("device", "");
        String name = reason == null ? "-" : settings.get("provider");
        return printable(name + (device.isEmpty() ? "" : " " + device) + (reason == null ? "" : " (" + reason + ")"));
    }

    /**
     * How often what carries calls was replaced, how many calls were sent again then, and what happened last, as
     * settings tell: {@code 3, 5 calls replayed; last: ...}; a dash where nothing was.
     */
    public static String swaps(Map<String, String> settings) {
        String swaps = settings.getOrDefault("swaps", "0");
        if (swaps.equals("0")) {
            return "-";
        }
        String replayed = settings.getOrDefault("replayed", "0");
        String last = settings.getOrDefault("lastSwap", "");
        return printable(swaps
                + (replayed.equals("0") ? "" : ", " + replayed + " calls replayed")
                + (last.isEmpty() ? "" : "; last: " + last));
    }

    /** Settings without those that a column of their own tells. */
    public static Map<String, String> without(Set<String> told, Map<String, String> settings) {
        Map<String, String> others = new LinkedHashMap<>(settings);
        others.keySet().removeAll(told);
        return others;
    }

    /** A table without head and rulers, its columns apart by two spaces: for people and for scripts. */
    public static ShellTable columns() {
        return new ShellTable().noHeaders().separator("  ");
    }

    /** Prints what {@link #columns} began: the character set is named, or the table falls back to rulers. */
    public static void print(ShellTable table, java.io.PrintStream out) {
        table.print(out, StandardCharsets.UTF_8, true);
    }
}
