package io.verbena.cli;

import java.io.PrintStream;
import java.util.List;

/** Rows as lines that are printed at once. */
final class StreamedRows<T> implements Listing.Rows<T> {
    private static final int COUNT_WIDTH = 8;
    private static final int OCTETS_WIDTH = 14;
    private static final int SIZE_WIDTH = 6;

    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final boolean humanSizes;
    private final StringBuilder line = new StringBuilder();

    StreamedRows(List<Listing.Column<T>> columns, PrintStream out, boolean humanSizes) {
        this.columns = columns;
        this.out = out;
        this.humanSizes = humanSizes;
    }

    @Override
    public void add(T row) {
        line.setLength(0);
        for (Listing.Column<T> column : columns) {
            String text = column.text(row, humanSizes);
            line.append(line.isEmpty() ? "" : "  ")
                    .append(" ".repeat(Math.max(0, width(column) - text.length())))
                    .append(text);
        }
        out.println(line);
    }

    private int width(Listing.Column<T> column) {
        return switch (column.kind()) {
            case OCTETS -> humanSizes ? SIZE_WIDTH : OCTETS_WIDTH;
            case COUNT -> COUNT_WIDTH;
            default -> 0;
        };
    }

    @Override
    public void end() {
        // every line has been printed
    }
}
