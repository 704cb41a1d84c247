package io.verbena.cli;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.json.Json;
import javax.json.stream.JsonGenerator;

/** Rows as an array of objects, printed as they come. A class of its own, so that nobody else loads the library. */
final class JsonRows<T> implements Listing.Rows<T> {
    private final List<Listing.Column<T>> columns;
    private final PrintStream out;
    private final JsonGenerator json;

    JsonRows(List<Listing.Column<T>> columns, PrintStream out) {
        this.columns = columns;
        this.out = out;
        this.json = Json.createGenerator(new Unclosed(out));
        json.writeStartArray();
    }

    @Override
    public void add(T row) {
        json.writeStartObject();
        for (Listing.Column<T> column : columns) {
            json.writeKey(column.member());
            write(column.value().apply(row));
        }
        json.writeEnd();
    }

    private void write(Object value) {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean truth) {
            json.write(truth);
        } else if (value instanceof Long || value instanceof Integer) {
            json.write(((Number) value).longValue());
        } else if (value instanceof Number number) {
            json.write(new BigDecimal(number.toString()));
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            map.forEach((name, each) -> {
                json.writeKey(String.valueOf(name));
                write(each);
            });
            json.writeEnd();
        } else if (value instanceof Collection<?> all) {
            json.writeStartArray();
            all.forEach(this::write);
            json.writeEnd();
        } else {
            json.write(value.toString()); // of an Instant that is ISO 8601 in UTC
        }
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

    /** The stream belongs to the shell, which prints on. */
    private static final class Unclosed extends OutputStreamWriter {
        Unclosed(PrintStream out) {
            super(out, StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
