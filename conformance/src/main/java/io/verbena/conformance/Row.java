package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A line of tab-separated values. */
record Row(List<String> values) {

    /** Reads the rows of a file, without empty lines and lines that start with '#'. */
    static List<Row> read(Path file, int least, int most) throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isEmpty() && !line.startsWith("#")) {
                Row row = new Row(List.of(line.split("\t", -1)));
                if (row.values.size() < least || row.values.size() > most) {
                    throw new IOException(file + ": a line has " + row.values.size() + " columns: " + line);
                }
                rows.add(row);
            }
        }
        return rows;
    }

    String get(int column) {
        return values.get(column);
    }
}
