package io.verbena.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Prints rows as a table, or as lines with aligned columns, after the last row. A table fits the terminal. Elsewhere,
 * and in lines, every row has one line, and no text is cut.
 */
final class TableRows<T> implements Listing.Rows<T> {
    private static final String RULED_GAP = " | ";
    private static final String GAP = "  ";

    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final boolean hasHeadings;
    private final String emptyText;
    private final boolean humanSizes;
    private final Screen screen;
    private final List<List<String>> rows = new ArrayList<>();

    TableRows(
            List<Listing.Column<T>> columns,
            PrintStream out,
            String emptyText,
            boolean hasHeadings,
            boolean humanSizes,
            Screen screen) {
        this.columns = columns;
        this.out = out;
        this.emptyText = emptyText;
        this.hasHeadings = hasHeadings;
        this.humanSizes = humanSizes;
        this.screen = hasHeadings ? screen : Screen.ENDLESS;
    }

    @Override
    public void add(T row) {
        rows.add(columns.stream().map(column -> column.text(row, humanSizes)).toList());
    }

    @Override
    public void end() {
        String gap = hasHeadings ? RULED_GAP : GAP;
        List<TableFit.Content> contents = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            contents.add(content(i));
        }
        List<Integer> widths = TableFit.widths(contents, gap.length(), screen.columns());
        StringBuilder lines = new StringBuilder();
        if (hasHeadings) {
            append(lines, columns.stream().map(Listing.Column::heading).toList(), widths, gap);
            lines.append(widths.stream().map("-"::repeat).collect(Collectors.joining("-+-")))
                    .append(System.lineSeparator());
        }
        rows.forEach(row -> append(lines, row, widths, gap));
        if (rows.isEmpty() && emptyText != null) {
            lines.append(emptyText).append(System.lineSeparator());
        }
        // All lines are printed at once. The shell's streams flush every line, which takes most of the time of a long
        // list.
        out.print(lines);
        if (widths.size() < columns.size()) {
            out.flush();
            screen.notes()
                    .accept("not shown: "
                            + columns.subList(widths.size(), columns.size()).stream()
                                    .map(Listing.Column::heading)
                                    .collect(Collectors.joining(", "))
                            + " (--wide shows all columns)");
        }
    }

    private TableFit.Content content(int index) {
        Listing.Column<T> column = columns.get(index);
        int widest = hasHeadings ? Cells.width(column.heading()) : 0;
        for (List<String> row : rows) {
            widest = Math.max(widest, Cells.width(row.get(index)));
        }
        boolean isWrapped = column.width() > 0 && screen.columns() > 0;
        boolean isText = column.kind() == Listing.Kind.TEXT || column.kind() == Listing.Kind.PAIRS;
        return new TableFit.Content(
                column.heading(), isWrapped ? Math.min(widest, column.width()) : widest, isWrapped, isText);
    }

    private void append(StringBuilder lines, List<String> row, List<Integer> widths, String gap) {
        List<List<String>> cells = new ArrayList<>();
        int height = 1;
        for (int i = 0; i < widths.size(); i++) {
            boolean isWrapped = columns.get(i).width() > 0 && screen.columns() > 0;
            List<String> cell = isWrapped
                    ? Cells.wrapped(row.get(i), widths.get(i))
                    : List.of(Cells.cut(row.get(i), widths.get(i)));
            cells.add(cell);
            height = Math.max(height, cell.size());
        }
        for (int line = 0; line < height; line++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < cells.size(); i++) {
                String part = line < cells.get(i).size() ? cells.get(i).get(line) : "";
                text.append(i == 0 ? "" : gap)
                        .append(Cells.padded(part, widths.get(i), columns.get(i).isRight()));
            }
            lines.append(text.toString().stripTrailing()).append(System.lineSeparator());
        }
    }
}
