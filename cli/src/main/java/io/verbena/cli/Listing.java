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
 * A list as commands print it: its columns, each of a kind that knows how it looks to people and in JSON, and how rows
 * are laid out. Values that are not there are null: a dash, or JSON's null. Text may be a peer's: it is made printable
 * here. Columns are declared once; {@link ListingCommand#begin} prints.
 *
 * @param <T> what a row tells of
 */
public final class Listing<T> {
    /** How rows are laid out for people; {@code --json} knows one way only. */
    public enum Layout {
        /** A table with headings, printed when it is whole; without headings as {@link #LINES}. */
        TABLE,
        /** A line each, the columns aligned, printed when all rows are there. A single column is printed at once. */
        LINES,
        /** A line each, printed at once, numbers in a fixed width. For lists that may be too long to hold. */
        STREAM,
        /** A paragraph each, of lines with a column's heading and its value. */
        DETAILS
    }

    /** What a column's values are. */
    enum Kind {
        TEXT,
        OCTETS,
        COUNT,
        TIME,
        PAIRS,
        /** Of {@link #member}: what its type says. */
        ANY
    }

    /**
     * A column.
     *
     * @param heading null where it is for JSON only
     * @param member null where it is for people only
     * @param width of a column of text that is wrapped in tables; 0 where it is not
     */
    record Column<T>(String heading, String member, Kind kind, int width, Function<? super T, ?> value) {
        boolean isShown() {
            return heading != null;
        }

        boolean isRight() {
            return kind == Kind.OCTETS || kind == Kind.COUNT;
        }

        /** How it looks to people. */
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

    /** Where rows go, one after the other. */
    public interface Rows<T> {
        void add(T row) throws IOException;

        /** Prints those so far that can be, as before a failure. */
        default void flush() throws IOException {}

        /** All rows are there. Without it the list is not whole, and does not look so. */
        void end() throws IOException;
    }

    private final Layout layout;
    private final String emptyText;
    private final List<Column<T>> columns = new ArrayList<>();

    /**
     * @param emptyText what {@link Layout#TABLE} tells people where there is no row; null for nothing
     */
    public Listing(Layout layout, String emptyText) {
        this.layout = layout;
        this.emptyText = emptyText;
    }

    /** As above, without a text for no rows. */
    public Listing(Layout layout) {
        this(layout, null);
    }

    /** A column of text. As for all columns, its member in JSON is the heading in lowerCamelCase. */
    public Listing<T> text(String heading, Function<? super T, String> value) {
        return add(heading, member(heading), Kind.TEXT, 0, value);
    }

    /** As {@link #text}, wrapped in tables to lines of that width. */
    public Listing<T> wrapped(String heading, int width, Function<? super T, String> value) {
        return add(heading, member(heading), Kind.TEXT, width, value);
    }

    /** A column of sizes in octets, which {@code -h} makes readable. */
    public Listing<T> octets(String heading, Function<? super T, Long> value) {
        return add(heading, member(heading), Kind.OCTETS, 0, value);
    }

    /** A column of numbers. */
    public Listing<T> count(String heading, Function<? super T, Long> value) {
        return add(heading, member(heading), Kind.COUNT, 0, value);
    }

    /** A column of times: ISO 8601 in UTC, to the second for people, and in full in JSON. */
    public Listing<T> time(String heading, Function<? super T, Instant> value) {
        return add(heading, member(heading), Kind.TIME, 0, value);
    }

    /** A column of names and values: as {@link Text#pairs} shows them, or an object. */
    public Listing<T> pairs(String heading, Function<? super T, ? extends Map<String, ?>> value) {
        return add(heading, member(heading), Kind.PAIRS, Text.PAIRS_WIDTH, value);
    }

    /** As {@link #wrapped}, for people only; not wrapped where the width is 0. */
    public Listing<T> shown(String heading, int width, Function<? super T, String> value) {
        return add(heading, null, Kind.TEXT, width, value);
    }

    /** As {@link #octets}, for people only. */
    public Listing<T> shownOctets(String heading, Function<? super T, Long> value) {
        return add(heading, null, Kind.OCTETS, 0, value);
    }

    /** As {@link #count}, for people only. */
    public Listing<T> shownCount(String heading, Function<? super T, Long> value) {
        return add(heading, null, Kind.COUNT, 0, value);
    }

    /** As {@link #pairs}, for people only. */
    public Listing<T> shownPairs(String heading, Function<? super T, ? extends Map<String, ?>> value) {
        return add(heading, null, Kind.PAIRS, Text.PAIRS_WIDTH, value);
    }

    /** A member for JSON only: text, numbers, truth values, {@link Instant}s, maps and collections of such. */
    public Listing<T> member(String name, Function<? super T, ?> value) {
        return add(null, name, Kind.ANY, 0, value);
    }

    private Listing<T> add(String heading, String member, Kind kind, int width, Function<? super T, ?> value) {
        columns.add(new Column<>(heading, member, kind, width, value));
        return this;
    }

    /** {@code Free files} becomes {@code freeFiles}. */
    private static String member(String heading) {
        StringBuilder name = new StringBuilder();
        for (String word : heading.split("[ -]", -1)) {
            String small = word.toLowerCase(Locale.ROOT);
            name.append(name.isEmpty() ? small : small.substring(0, 1).toUpperCase(Locale.ROOT) + small.substring(1));
        }
        return name.toString();
    }

    /** Begins to print it; see {@link ListingCommand#begin}. */
    Rows<T> begin(PrintStream out, boolean json, boolean noHeader, boolean humanSizes) {
        if (json) {
            return new JsonRows<>(
                    columns.stream().filter(column -> column.member() != null).toList(), out);
        }
        List<Column<T>> shown = columns.stream().filter(Column::isShown).toList();
        return switch (layout) {
            case TABLE ->
                noHeader
                        ? new TableRows<>(shown, out, null, false, humanSizes)
                        : new TableRows<>(shown, out, emptyText, true, humanSizes);
            case LINES ->
                shown.size() == 1
                        ? new StreamedRows<>(shown, out, humanSizes)
                        : new TableRows<>(shown, out, null, false, humanSizes);
            case STREAM -> new StreamedRows<>(shown, out, humanSizes);
            case DETAILS -> new DetailRows<>(shown, out, humanSizes);
        };
    }
}
