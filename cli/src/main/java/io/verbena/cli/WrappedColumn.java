package io.verbena.cli;

import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.support.table.Col;

/**
 * A column that wraps its text at blanks if possible. Karaf's own column keeps the blank at which it breaks a line. A
 * line that fills the width is then one character too long, and Karaf cuts two characters off it.
 */
final class WrappedColumn extends Col {
    WrappedColumn(String header, int width) {
        super(header);
        maxSize(width);
        wrap();
    }

    @Override
    protected List<String> wrap(String text) {
        List<String> lines = new ArrayList<>();
        int width = Math.max(1, getSize());
        String rest = text.stripTrailing();
        while (rest.length() > width) {
            int blank = rest.lastIndexOf(' ', width);
            String line = rest.substring(0, blank > 0 ? blank : width);
            lines.add(line.stripTrailing());
            rest = rest.substring(line.length()).stripLeading();
        }
        lines.add(rest);
        return lines;
    }
}
