package io.verbena.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Chooses the widths of a table's columns for a terminal. First the columns that wrap become narrower, then those of
 * text; while the table is still too wide, its last column is dropped. Numbers and times are always whole.
 */
final class TableFit {
    private static final int LEAST_WRAPPED = 20;
    private static final int LEAST_TEXT = 12;

    /** What the fitting knows of a column. */
    record Content(String heading, int width, boolean isWrapped, boolean isText) {
        private int least() {
            if (!isWrapped && !isText) {
                return width;
            }
            int least = Math.max(Cells.width(heading), isWrapped ? LEAST_WRAPPED : LEAST_TEXT);
            return Math.min(width, least);
        }
    }

    private TableFit() {}

    /**
     * Returns the widths of the columns that are shown, which are the first ones.
     *
     * @param columns the columns with the widths that they would like
     * @param gap the columns of the terminal between two columns of the table
     * @param terminal the columns of the terminal; 0 for any number
     */
    static List<Integer> widths(List<Content> columns, int gap, int terminal) {
        for (int shown = columns.size(); shown > 0; shown--) {
            List<Content> first = columns.subList(0, shown);
            int excess = total(first) + gap * (shown - 1) - terminal;
            if (terminal == 0 || excess <= 0) {
                return first.stream().map(Content::width).toList();
            }
            List<Integer> widths =
                    new ArrayList<>(first.stream().map(Content::width).toList());
            excess = shrink(first, widths, true, excess);
            excess = shrink(first, widths, false, excess);
            if (excess <= 0) {
                return widths;
            }
        }
        return columns.isEmpty()
                ? List.of()
                : Collections.singletonList(Math.min(columns.get(0).width(), terminal));
    }

    private static int total(List<Content> columns) {
        return columns.stream().mapToInt(Content::width).sum();
    }

    /** Makes the widest column that may become narrower so by one, until the excess is gone. */
    private static int shrink(List<Content> columns, List<Integer> widths, boolean ofWrapped, int excess) {
        int left = excess;
        while (left > 0) {
            int widest = -1;
            for (int i = 0; i < columns.size(); i++) {
                boolean canShrink = columns.get(i).isWrapped() == ofWrapped
                        && widths.get(i) > columns.get(i).least();
                if (canShrink && (widest < 0 || widths.get(i) >= widths.get(widest))) {
                    widest = i;
                }
            }
            if (widest < 0) {
                return left;
            }
            widths.set(widest, widths.get(widest) - 1);
            left--;
        }
        return 0;
    }
}
