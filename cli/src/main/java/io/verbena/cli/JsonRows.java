package io.verbena.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import javax.json.stream.JsonGenerator;

/** Prints rows as an array of objects, each at once. Only this class loads the JSON library for rows. */
final class JsonRows<T> implements Listing.Rows<T> {
    private static final int CHECKED = 512;

    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final JsonGenerator json;
    private int rows;

    JsonRows(List<Listing.Column<T>> columns, PrintStream out) {
        this.columns = columns;
        this.out = out;
        this.json = JsonText.generator(out);
        json.writeStartArray();
    }

    @Override
    public void add(T row) throws IOException {
        json.writeStartObject();
        for (Listing.Column<T> column : columns) {
            json.writeKey(column.member());
            JsonText.write(json, column.value().apply(row));
        }
        json.writeEnd();
        rows++;
        if (rows % CHECKED == 0) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        json.flush();
        LostOutput.check(out);
    }

    @Override
    public void end() {
        json.writeEnd();
        json.close();
        out.println();
    }
}
