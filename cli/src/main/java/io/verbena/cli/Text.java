package io.verbena.cli;

import io.verbena.nfs.UnresponsiveServer;
import io.verbena.text.OctetText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.karaf.shell.support.table.ShellTable;

/** Formats values for output. The formats are stable, and the same for every command. */
public final class Text {
    /** The settings that {@link #swaps} shows. */
    public static final Set<String> OF_SWAPS = Set.of("swaps", "replayed", "lastSwap");

    /** The width of a table column for {@link #provider}. */
    public static final int PROVIDER_WIDTH = 24;

    /** The width of a table column for {@link #swaps}. */
    public static final int SWAPS_WIDTH = 36;

    static final int PAIRS_WIDTH = 72;
    private static final String SIZE_UNITS = "KMGTPE";
    private static final int SIZE_STEP = 1_024;

    private Text() {}

    /**
     * Returns a name or a path as people see it and as commands parse it, by {@link OctetText#escape}. The name comes
     * from a peer or a disk, and can contain any octets.
     */
    public static String name(String name) {
        return OctetText.escape(name);
    }

    /**
     * Returns a line that is safe to print, whatever its parts are. A control character, an invisible character, and an
     * octet that is not part of well-formed UTF-8, becomes {@code \xNN} as in {@link #name}. A backslash is unchanged,
     * so that names in the line that are already escaped are unchanged too.
     */
    public static String printable(String text) {
        return OctetText.printable(text);
    }

    /**
     * Returns a text about a server that does not respond, with the duration and the consequence: {@code server a
     * silent for 12 s, still trying}.
     */
    public static String silence(UnresponsiveServer silence, Instant now) {
        String length = "server " + printable(silence.server()) + " silent for "
                + silence.length(now).toSeconds() + " s";
        if (silence.givesUp().isEmpty()) {
            return length + ", still trying";
        }
        long left = Duration.between(now, silence.givesUp().get()).toSeconds();
        return left > 0 ? length + " (gives up in " + left + " s)" : length;
    }

    /** Returns a time in ISO 8601 and UTC, with seconds. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Returns a number of octets as {@code ls -h} shows it, rounded up: {@code 1023}, {@code 1.5K}, {@code 23M}. */
    public static String size(long octets) {
        double size = octets;
        int unit = -1;
        // A value that would be rounded up to the next unit is shown in the next unit.
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

    /** Returns {@code key=value} pairs in one line, without the pairs that have no value. */
    public static String pairs(Map<?, ?> values) {
        return values.entrySet().stream()
                .filter(entry -> !String.valueOf(entry.getValue()).isEmpty())
                .map(entry -> printable(entry.getKey() + "=" + entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    /**
     * Returns a provider, its device if it has one, and the reason for the choice of the provider, according to the
     * settings: {@code native rxe0 (auto: rxe0 has a route)}. Returns a dash while no provider is chosen.
     */
    public static String provider(Map<String, String> settings) {
        String reason = settings.get("providerChoice");
        String device = settings.getOrDefault("device", "");
        String name = reason == null ? "-" : settings.get("provider");
        return printable(name + (device.isEmpty() ? "" : " " + device) + (reason == null ? "" : " (" + reason + ")"));
    }

    /**
     * Returns how often the transport was replaced, how many calls were then repeated, and the last event, according to
     * the settings: {@code 3, 5 calls replayed; last: ...}. Returns a dash if nothing was replaced.
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

    /** Returns the settings without those that separate columns show. */
    public static Map<String, String> without(Set<String> told, Map<String, String> settings) {
        Map<String, String> others = new LinkedHashMap<>(settings);
        others.keySet().removeAll(told);
        return others;
    }

    /**
     * Returns a table without headings and rulers, whose columns are separated by two spaces. People and scripts can
     * read it.
     */
    public static ShellTable columns() {
        return new ShellTable().noHeaders().separator("  ");
    }

    /**
     * Prints a table that {@link #columns} created. The character set is specified, because the table otherwise falls
     * back to rulers.
     */
    public static void print(ShellTable table, java.io.PrintStream out) {
        table.print(out, StandardCharsets.UTF_8, true);
    }
}
