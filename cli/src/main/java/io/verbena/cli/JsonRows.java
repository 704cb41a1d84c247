package io.verbena.cli;

import java.io.PrintStream;
import java.util.List;
import javax.json.stream.JsonGenerator;

/** Prints rows as an array of objects, each at once. Only this class loads the JSON library for rows. */
final class JsonRows<T> implements Listing.Rows<T> {
    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final JsonGenerator json;

    JsonRows(List<Listing.Column<T>> columns, PrintStream out) {
        this.columns = columns;
        this.out = out;
        this.json = JsonText.generator(out);
        json.writeStartArray();
    }

    @Override
    public void add(T row) {
        json.writeStartObject();
        for (Listing.Column<T> column : columns) {
            json.writeKey(column.member());
            JsonText.write(json, column.value().apply(row));
        }
        json.writeEnd();
    }

    @Override
    public void flush() {
        json.flush();
    }

    @Override
    public void end() {
        json.writeEnd();
        json.close();
        out.println();
    }
}
