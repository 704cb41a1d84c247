package io.verbena.cli;

import io.verbena.text.OctetText;
import java.io.FilterWriter;
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
 * Prints JSON for {@code --json}. A summary is one object in one line. Values are text, numbers, booleans, times, maps,
 * collections of such values, and null.
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

    /** Returns a generator that writes to a stream of the shell. Closing the generator does not close the stream. */
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
            json.write(value.toString()); // an Instant is printed as ISO 8601 in UTC
        }
    }

    /**
     * Writes an invisible character as JSON's escape. Such a character can only be inside a string, so the value is the
     * same, and a terminal shows the text as it is.
     */
    private static final class Unclosed extends FilterWriter {
        Unclosed(PrintStream out) {
            super(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        }

        @Override
        public void write(int unit) throws IOException {
            write(new char[] {(char) unit}, 0, 1);
        }

        @Override
        public void write(String text, int from, int length) throws IOException {
            write(text.toCharArray(), from, length);
        }

        @Override
        public void write(char[] text, int from, int length) throws IOException {
            int end = from + length;
            int next;
            for (int at = from; at < end; at = next) {
                int point = Character.codePointAt(text, at, end);
                next = at + Character.charCount(point);
                // a pair that the generator's buffer has cut in two is written as two escapes
                if (point == '\n' || point == '\r' || point == '\t' || OctetText.isVisible(point)) {
                    out.write(text, at, next - at);
                } else {
                    for (int unit = at; unit < next; unit++) {
                        out.write(String.format("\\u%04x", (int) text[unit]));
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
