package io.verbena.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.karaf.shell.support.table.Col;
import org.apache.karaf.shell.support.table.Row;
import org.apache.karaf.shell.support.table.ShellTable;

/** Prints rows as a table, or as lines with aligned columns, after the last row. */
final class TableRows<T> implements Listing.Rows<T> {
    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final boolean hasHeadings;
    private final boolean humanSizes;
    private final ShellTable table;

    TableRows(
            List<Listing.Column<T>> columns,
            PrintStream out,
            String emptyText,
            boolean hasHeadings,
            boolean humanSizes) {
        this.columns = columns;
        this.out = out;
        this.hasHeadings = hasHeadings;
        this.humanSizes = humanSizes;
        this.table = hasHeadings ? new ShellTable() : Text.columns();
        table.emptyTableText(emptyText);
        for (Listing.Column<T> column : columns) {
            if (hasHeadings && column.width() > 0) {
                Text.wrappedColumn(table, column.heading(), column.width());
                continue;
            }
            Col col = table.column(hasHeadings ? column.heading() : "");
            if (column.isRight()) {
                col.alignRight();
            }
        }
    }

    @Override
    public void add(T row) {
        Row cells = table.addRow();
        columns.forEach(column -> cells.addContent(column.text(row, humanSizes)));
    }

    @Override
    public void end() {
        if (hasHeadings) {
            table.print(out);
        } else {
            // All lines are printed at once. The shell's streams flush every line, which takes most of the time of a
            // long list.
            ByteArrayOutputStream lines = new ByteArrayOutputStream();
            PrintStream printer = new PrintStream(lines, false, StandardCharsets.UTF_8);
            Text.print(table, printer);
            printer.flush();
            out.print(lines.toString(StandardCharsets.UTF_8));
        }
    }
}
