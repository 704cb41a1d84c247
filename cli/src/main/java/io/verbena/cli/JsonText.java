package io.verbena.cli;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import javax.json.Json;
import javax.json.stream.JsonGenerator;

/**
 * JSON as commands print it for {@code --json}: a summary is one object in a line. Values are text, numbers, truth values,
 * times, maps and collections of such, and null.
 */
public final class JsonText {
    private JsonText() {}

    /** Prints an object, and ends the line. */
    public static void print(PrintStream out, Map<String, ?> members) {
        try (JsonGenerator json = generator(out)) {
            write(json, members);
        }
        out.println();
        out.flush();
    }

    /** Writes to a stream that is the shell's, which prints on when the generator is closed. */
    static JsonGenerator generator(PrintStream out) {
        return Json.createGenerator(new Unclosed(out));
    }

    static void write(JsonGenerator json, Object value) {
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
                write(json, each);
            });
            json.writeEnd();
        } else if (value instanceof Collection<?> all) {
            json.writeStartArray();
            all.forEach(each -> write(json, each));
            json.writeEnd();
        } else {
            json.write(value.toString()); // of an Instant that is ISO 8601 in UTC
        }
    }

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
