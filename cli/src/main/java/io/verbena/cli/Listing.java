package io.verbena.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Defines a list that a command prints: its columns and the layout of its rows. The kind of a column determines how it
 * is shown to people and in JSON. A missing value is null, and is shown as a dash or as null in JSON. Text can come
 * from a peer, and is made printable here. Columns are declared once. {@link ListingCommand#begin} prints the list.
 *
 * @param <T> the type of the object that a row describes
 */
public final class Listing<T> {
    /** The layout of rows for people. {@code --json} has a single layout. */
    public enum Layout {
        /**
         * A table with headings, printed when it is complete. On a terminal it is no wider than that: texts are wrapped
         * or cut, and if need be the last columns left out. Without headings the layout is {@link #LINES}.
         */
        TABLE,
        /**
         * One line per row with aligned columns, printed when all rows are present. A single column is printed at once.
         */
        LINES,
        /**
         * One line per row, printed at once, with numbers in a fixed width. For lists that may be too long to hold in
         * memory.
         */
        STREAM,
        /** One paragraph per row, with one line per column that contains heading and value. */
        DETAILS
    }

    /** The kind of the values of a column. */
    enum Kind {
        TEXT,
        OCTETS,
        COUNT,
        TIME,
        PAIRS,
        /** The kind of a {@link #member}, whose type determines the format. */
        ANY
    }

    /**
     * A column.
     *
     * @param heading the heading, or null for a column in JSON only
     * @param member the name of the JSON member, or null for a column for people only
     * @param kind the kind of the values
     * @param width the width to which a column of text is wrapped in tables on a terminal; 0 if it is not wrapped
     * @param value returns the value of a row
     */
    record Column<T>(String heading, String member, Kind kind, int width, Function<? super T, ?> value) {
        boolean isShown() {
            return heading != null;
        }

        boolean isRight() {
            return kind == Kind.OCTETS || kind == Kind.COUNT;
        }

        /** Returns the value as people see it. */
        String text(T row, boolean humanSizes) {
            Object cell = value.apply(row);
            if (cell == null) {
                return "-";
            }
            return switch (kind) {
                case OCTETS -> humanSizes ? Text.size((Long) cell) : cell.toString();
                case TIME -> Text.time((Instant) cell);
                case PAIRS -> Text.pairs((Map<?, ?>) cell);
                default -> Text.printable(cell.toString());
            };
        }
    }

    /** Receives the rows of a list, one after the other. */
    public interface Rows<T> {
        /** Adds a row at the end. */
        void add(T row) throws IOException;

        /** Prints the rows so far as far as possible, for example before a failure. */
        default void flush() throws IOException {}

        /** Ends the list after its last row. A list without this call is incomplete, and is recognisable as such. */
        void end() throws IOException;
    }

    private final Layout layout;
    private final String emptyText;
    private final List<Column<T>> columns = new ArrayList<>();

    /**
     * Creates a list without columns.
     *
     * @param emptyText the text that {@link Layout#TABLE} prints if there is no row; null for none
     */
    public Listing(Layout layout, String emptyText) {
        this.layout = layout;
        this.emptyText = emptyText;
    }

    /** Creates a list without columns, and without a text for an empty list. */
    public Listing(Layout layout) {
        this(layout, null);
    }

    /** Adds a column of text. For every column, the name of the JSON member is the heading in lowerCamelCase. */
    public Listing<T> text(String heading, Function<? super T, String> value) {
        return add(heading, member(heading), Kind.TEXT, 0, value);
    }

    /** Adds a column of text that tables on a terminal wrap to the given width. */
    public Listing<T> wrapped(String heading, int width, Function<? super T, String> value) {
        return add(heading, member(heading), Kind.TEXT, width, value);
    }

    /** Adds a column of sizes in octets. {@code -h} makes them readable. */
    public Listing<T> octets(String heading, Function<? super T, Long> value) {
        return add(heading, member(heading), Kind.OCTETS, 0, value);
    }

    /** Adds a column of numbers. */
    public Listing<T> count(String heading, Function<? super T, Long> value) {
        return add(heading, member(heading), Kind.COUNT, 0, value);
    }

    /** Adds a column of times in ISO 8601 and UTC, with seconds for people and with full resolution in JSON. */
    public Listing<T> time(String heading, Function<? super T, Instant> value) {
        return add(heading, member(heading), Kind.TIME, 0, value);
    }

    /** Adds a column of names and values, shown as by {@link Text#pairs}, or as an object in JSON. */
    public Listing<T> pairs(String heading, Function<? super T, ? extends Map<String, ?>> value) {
        return add(heading, member(heading), Kind.PAIRS, Text.PAIRS_WIDTH, value);
    }

    /** Adds a column of text for people only, wrapped as by {@link #wrapped}. A width of 0 disables wrapping. */
    public Listing<T> shown(String heading, int width, Function<? super T, String> value) {
        return add(heading, null, Kind.TEXT, width, value);
    }

    /** Adds a column of sizes as {@link #octets} does, for people only. */
    public Listing<T> shownOctets(String heading, Function<? super T, Long> value) {
        return add(heading, null, Kind.OCTETS, 0, value);
    }

    /** Adds a column of numbers as {@link #count} does, for people only. */
    public Listing<T> shownCount(String heading, Function<? super T, Long> value) {
        return add(heading, null, Kind.COUNT, 0, value);
    }

    /** Adds a column of pairs as {@link #pairs} does, for people only. */
    public Listing<T> shownPairs(String heading, Function<? super T, ? extends Map<String, ?>> value) {
        return add(heading, null, Kind.PAIRS, Text.PAIRS_WIDTH, value);
    }

    /** Adds a member for JSON only: text, numbers, booleans, {@link Instant}s, maps, and collections of such values. */
    public Listing<T> member(String name, Function<? super T, ?> value) {
        return add(null, name, Kind.ANY, 0, value);
    }

    private Listing<T> add(String heading, String member, Kind kind, int width, Function<? super T, ?> value) {
        columns.add(new Column<>(heading, member, kind, width, value));
        return this;
    }

    /** Converts a heading to a member name: {@code Free files} becomes {@code freeFiles}. */
    private static String member(String heading) {
        StringBuilder name = new StringBuilder();
        for (String word : heading.split("[ -]", -1)) {
            String small = word.toLowerCase(Locale.ROOT);
            name.append(name.isEmpty() ? small : small.substring(0, 1).toUpperCase(Locale.ROOT) + small.substring(1));
        }
        return name.toString();
    }

    /** Starts to print the list where lines may have any length. */
    Rows<T> begin(PrintStream out, boolean json, boolean noHeader, boolean humanSizes) {
        return begin(out, json, noHeader, humanSizes, Screen.ENDLESS);
    }

    /** Starts to print the list; see {@link ListingCommand#begin}. */
    Rows<T> begin(PrintStream out, boolean json, boolean noHeader, boolean humanSizes, Screen screen) {
        if (json) {
            return new JsonRows<>(
                    columns.stream().filter(column -> column.member() != null).toList(), out);
        }
        List<Column<T>> shown = columns.stream().filter(Column::isShown).toList();
        return switch (layout) {
            case TABLE ->
                noHeader
                        ? new TableRows<>(shown, out, null, false, humanSizes, screen)
                        : new TableRows<>(shown, out, emptyText, true, humanSizes, screen);
            case LINES ->
                shown.size() == 1
                        ? new StreamedRows<>(shown, out, humanSizes)
                        : new TableRows<>(shown, out, null, false, humanSizes, screen);
            case STREAM -> new StreamedRows<>(shown, out, humanSizes);
            case DETAILS -> new DetailRows<>(shown, out, humanSizes);
        };
    }
}
