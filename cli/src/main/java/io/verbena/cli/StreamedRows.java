package io.verbena.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** Prints each row as a line at once. Rows that arrive faster than a person can read are printed together. */
final class StreamedRows<T> implements Listing.Rows<T> {
    private static final int COUNT_WIDTH = 8;
    private static final int OCTETS_WIDTH = 14;
    private static final int SIZE_WIDTH = 6;
    private static final int MAX_PENDING = 8 << 10;
    private static final long PAUSE_NANOS = 50_000_000;

    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final boolean humanSizes;
    private final StringBuilder lines = new StringBuilder();
    private long printedNanos = System.nanoTime() - PAUSE_NANOS;

    StreamedRows(List<Listing.Column<T>> columns, PrintStream out, boolean humanSizes) {
        this.columns = columns;
        this.out = out;
        this.humanSizes = humanSizes;
    }

    @Override
    public void add(T row) throws IOException {
        String gap = "";
        for (Listing.Column<T> column : columns) {
            String text = column.text(row, humanSizes);
            lines.append(gap).append(Cells.padded(text, width(column), true));
            gap = "  ";
        }
        lines.append(System.lineSeparator());
        // The shell's streams flush every line, which takes longer than producing the line.
        if (lines.length() >= MAX_PENDING || System.nanoTime() - printedNanos >= PAUSE_NANOS) {
            flush();
        }
    }

    private int width(Listing.Column<T> column) {
        return switch (column.kind()) {
            case OCTETS -> humanSizes ? SIZE_WIDTH : OCTETS_WIDTH;
            case COUNT -> COUNT_WIDTH;
            default -> 0;
        };
    }

    @Override
    public void flush() throws IOException {
        out.print(lines);
        lines.setLength(0);
        LostOutput.check(out);
        printedNanos = System.nanoTime();
    }

    @Override
    public void end() throws IOException {
        flush();
    }
}
