package io.verbena.cli.internal;

import io.verbena.nfs.FileType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.karaf.shell.support.table.ShellTable;

/** How things look in print: stable, and the same for every command. */
public final class Text {
    private static final String[] RIGHTS = {"---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"};

    private static final int PAIRS_WIDTH = 72;
    private static final int PROVIDER_WIDTH = 24;

    private Text() {}

    /**
     * Text with its control characters as escapes: a name comes from a peer, and must neither break a line nor talk to
     * the terminal.
     */
    public static String printable(String text) {
        StringBuilder result = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                result.append("\\n");
            } else if (c == '\t') {
                result.append("\\t");
            } else if (Character.isISOControl(c)) {
                result.append(String.format("\\u%04x", (int) c));
            } else {
                result.append(c);
            }
        }
        return result.toString();
    }

    /** ISO 8601 in UTC, to the second. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Type and mode as {@code ls -l} shows them. */
    public static String mode(FileType type, int mode) {
        char[] text =
                (typeLetter(type) + RIGHTS[mode >> 6 & 7] + RIGHTS[mode >> 3 & 7] + RIGHTS[mode & 7]).toCharArray();
        special(text, 3, (mode & 0_4000) != 0, 's');
        special(text, 6, (mode & 0_2000) != 0, 's');
        special(text, 9, (mode & 0_1000) != 0, 't');
        return new String(text);
    }

    private static void special(char[] text, int index, boolean set, char letter) {
        if (set) {
            text[index] = text[index] == 'x' ? letter : Character.toUpperCase(letter);
        }
    }

    private static char typeLetter(FileType type) {
        return switch (type) {
            case REGULAR -> '-';
            case DIRECTORY -> 'd';
            case SYMBOLIC_LINK -> 'l';
            case BLOCK_DEVICE -> 'b';
            case CHARACTER_DEVICE -> 'c';
            case SOCKET -> 's';
            case FIFO -> 'p';
            case OTHER -> '?';
        };
    }

    /** {@code key=value} pairs in a line, those without a value left out. */
    public static String pairs(Map<String, ?> values) {
        return values.entrySet().stream()
                .filter(entry -> !String.valueOf(entry.getValue()).isEmpty())
                .map(entry -> printable(entry.getKey() + "=" + entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Adds a column for {@link #pairs}, which are too long for one line. */
    public static void pairsColumn(ShellTable table, String header) {
        table.column(header).maxSize(PAIRS_WIDTH).wrap();
    }

    /** Adds a column for {@link #provider}. */
    public static void providerColumn(ShellTable table) {
        table.column("Provider").maxSize(PROVIDER_WIDTH).wrap();
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

    /** A table without head and rulers, its columns apart by two spaces: for people and for scripts. */
    public static ShellTable columns() {
        return new ShellTable().noHeaders().separator("  ");
    }

    /** Prints what {@link #columns} began: the character set is named, or the table falls back to rulers. */
    public static void print(ShellTable table, java.io.PrintStream out) {
        table.print(out, StandardCharsets.UTF_8, true);
    }
}
