package io.verbena.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.apache.karaf.shell.support.table.ShellTable;

/** Prints each row as a paragraph with one line per column. A column of pairs has one line per pair. */
final class DetailRows<T> implements Listing.Rows<T> {
    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final boolean humanSizes;
    private boolean isFirst = true;

    DetailRows(List<Listing.Column<T>> columns, PrintStream out, boolean humanSizes) {
        this.columns = columns;
        this.out = out;
        this.humanSizes = humanSizes;
    }

    @Override
    public void add(T row) {
        if (!isFirst) {
            out.println();
        }
        isFirst = false;
        ShellTable table = Text.columns();
        table.column("name");
        table.column("value");
        for (Listing.Column<T> column : columns) {
            if (column.kind() == Listing.Kind.PAIRS && column.value().apply(row) instanceof Map<?, ?> pairs) {
                pairs.forEach((name, value) -> table.addRow()
                        .addContent(Text.printable(String.valueOf(name)), Text.printable(String.valueOf(value))));
            } else if (column.value().apply(row) != null) {
                table.addRow().addContent(column.heading(), column.text(row, humanSizes));
            }
        }
        Text.print(table, out);
    }

    @Override
    public void end() {
        // Every paragraph has been printed.
    }
}
