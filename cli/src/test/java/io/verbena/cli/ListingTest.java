package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.json.Json;
import javax.json.JsonArray;
import javax.json.JsonObject;
import javax.json.JsonReader;
import javax.json.JsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListingTest {
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678Z");
    private static final List<Row> ROWS = List.of(new Row("one", 1_536, TIME), new Row("a\nb\"", 7, null));

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private record Row(String name, long size, Instant time) {
        Map<String, Object> settings() {
            Map<String, Object> settings = new LinkedHashMap<>();
            settings.put("x", "y");
            settings.put("n", 3);
            return settings;
        }
    }

    private static Listing<Row> listing(Listing.Layout layout) {
        return new Listing<Row>(layout, "nothing")
                .text("Its name", Row::name)
                .octets("Size", Row::size)
                .time("Time", Row::time)
                .pairs("Settings", Row::settings)
                .shown("For people", 0, row -> "p")
                .member("forPrograms", row -> List.of(true, row.size()));
    }

    private String print(Listing<Row> listing, List<Row> rows, boolean json, boolean noHeader, boolean human)
            throws IOException {
        bytes.reset();
        Listing.Rows<Row> printed = listing.begin(out, json, noHeader, human);
        for (Row row : rows) {
            printed.add(row);
        }
        printed.end();
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static JsonArray parse(String json) {
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            return reader.readArray();
        }
    }

    @Test
    void shouldPrintTablesWithHeadingsAndMakeNamesPrintable() throws IOException {
        assertThat(print(listing(Listing.Layout.TABLE), ROWS, false, false, false))
                .contains("Its name", "For people", "1536", "2026-01-02T03:04:05Z", "x=y, n=3", "a\\x0Ab\"")
                .doesNotContain("forPrograms")
                .hasLineCount(4);
        assertThat(print(listing(Listing.Layout.TABLE), List.of(), false, false, false))
                .contains("Its name", "nothing");
    }

    @Test
    void shouldPrintALineEachForScripts() throws IOException {
        assertThat(print(listing(Listing.Layout.TABLE), ROWS, false, true, false)
                        .lines())
                .containsExactly(
                        "one      1536  2026-01-02T03:04:05Z  x=y, n=3  p",
                        "a\\x0Ab\"     7  -                     x=y, n=3  p");
        assertThat(print(listing(Listing.Layout.TABLE), List.of(), false, true, false))
                .isEmpty();
        assertThat(print(listing(Listing.Layout.LINES), ROWS, false, false, true))
                .contains("one      1.5K  2026");
    }

    @Test
    void shouldPrintStreamsAtOnce() throws IOException {
        Listing.Rows<Row> rows = listing(Listing.Layout.STREAM).begin(out, false, false, false);
        rows.add(ROWS.get(0));

        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo("one            1536  2026-01-02T03:04:05Z  x=y, n=3  p\n");
    }

    @Test
    void shouldPrintDetailsAsParagraphs() throws IOException {
        assertThat(print(listing(Listing.Layout.DETAILS), ROWS, false, false, false))
                .contains(
                        "Its name    one\nSize        1536\n",
                        "\nx           y\nn           3\n",
                        "p\n\nIts name    a\\x0Ab\"\n")
                .doesNotContain("Settings");
    }

    @Test
    void shouldPrintJsonThatTellsAllAsItIs() throws IOException {
        for (Listing.Layout layout : Listing.Layout.values()) {
            JsonArray rows = parse(print(listing(layout), ROWS, true, true, true));

            assertThat(rows).hasSize(2);
            JsonObject one = rows.getJsonObject(0);
            assertThat(one.keySet()).containsExactly("itsName", "size", "time", "settings", "forPrograms");
            assertThat(one.getJsonNumber("size").longValueExact()).isEqualTo(1_536);
            assertThat(one.getString("time")).isEqualTo("2026-01-02T03:04:05.678Z");
            assertThat(one.getJsonObject("settings").getInt("n")).isEqualTo(3);
            assertThat(one.getJsonArray("forPrograms").getBoolean(0)).isTrue();
            assertThat(rows.getJsonObject(1).getString("itsName")).isEqualTo("a\nb\"");
            assertThat(rows.getJsonObject(1).get("time")).isEqualTo(JsonValue.NULL);
        }
        assertThat(print(listing(Listing.Layout.TABLE), List.of(), true, false, false))
                .isEqualTo("[]\n");
    }

    @Test
    void shouldEscapeInvisibleCharactersOfJson() throws IOException {
        String text = "a\u202eb\u2066c\udb40\udc41d\ud83d\ude00";

        JsonText.print(out, Map.of("name", text));

        String line = bytes.toString(StandardCharsets.UTF_8);
        assertThat(line)
                .contains("a\\u202eb\\u2066c\\udb40\\udc41d\ud83d\ude00")
                .endsWith("}\n");
        try (JsonReader reader = Json.createReader(new StringReader(line))) {
            assertThat(reader.readObject().getString("name")).isEqualTo(text);
        }
    }

    @Test
    void shouldLeaveTheStreamOpenAndTheRestOfAFailedListOut() throws IOException {
        print(listing(Listing.Layout.LINES), ROWS, true, false, false);
        out.print("on");
        assertThat(bytes.toString(StandardCharsets.UTF_8)).endsWith("]\non");
        bytes.reset();

        listing(Listing.Layout.LINES).begin(out, true, false, false).add(ROWS.get(0));

        assertThat(bytes.toString(StandardCharsets.UTF_8)).doesNotContain("]\n");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1023, 1023",
        "1024, 1.0K",
        "1025, 1.1K",
        "1536, 1.5K",
        "10240, 10K",
        "10241, 11K",
        "1047552, 1023K",
        "1047553, 1.0M",
        "1048576, 1.0M",
        "9223372036854775807, 8.0E"
    })
    void shouldShowSizesAsLsDoes(long octets, String text) {
        assertThat(Text.size(octets)).isEqualTo(text);
    }
}
