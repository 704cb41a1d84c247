package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CellsTest {
    private static final String ELLIPSIS = Cells.cut("abcdefgh", 4).replaceAll("[a-z]", "");

    @Test
    void shouldMeasureWideAndCombiningCharacters() {
        assertThat(Cells.width("abc")).isEqualTo(3);
        assertThat(Cells.width("\u65e5\u672c")).isEqualTo(4);
        assertThat(Cells.width("e\u0301")).isEqualTo(1);
        assertThat(Cells.width("\ud83d\ude00")).isEqualTo(2);
        assertThat(Cells.padded("\u65e5", 4, false)).isEqualTo("\u65e5  ");
        assertThat(Cells.padded("e\u0301", 3, true)).isEqualTo("  e\u0301");
    }

    @Test
    void shouldCutBetweenCharacters() {
        assertThat(Cells.cut("abcdef", 6)).isEqualTo("abcdef");
        assertThat(Cells.cut("abcdefg", 6)).isEqualTo("abcdef".substring(0, 6 - ELLIPSIS.length()) + ELLIPSIS);
        String wide = Cells.cut("\u65e5\u672c\u65e5\u672c\u65e5", 6);
        assertThat(Cells.width(wide)).isLessThanOrEqualTo(6);
        assertThat(wide).startsWith("\u65e5").endsWith(ELLIPSIS);
        String combined = "e\u0301".repeat(10);
        assertThat(Cells.cut(combined, 6)).isEqualTo("e\u0301".repeat(6 - ELLIPSIS.length()) + ELLIPSIS);
    }

    @ParameterizedTest
    @CsvSource({
        "abcd efghij klm, abcd|efghij|klm",
        "abcdef ghijkl, abcdef|ghijkl",
        "'a=b,c=d,e', 'a=b,c=|d,e'",
        "ab, ab"
    })
    void shouldWrapAtBlanksOrPunctuation(String text, String lines) {
        assertThat(Cells.wrapped(text, 6)).containsExactly(lines.split("\\|", -1));
    }

    @Test
    void shouldCutAWordThatDoesNotFitAndGoOnBehindIt() {
        List<String> lines = Cells.wrapped("abcdefghij klm", 6);

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).startsWith("abc").endsWith(ELLIPSIS);
        assertThat(lines.get(1)).isEqualTo("klm");
    }

    @Test
    void shouldNarrowColumnsThatWrapThenTextsAndThenDropTheLast() {
        List<TableFit.Content> columns = List.of(
                new TableFit.Content("Name", 20, false, true),
                new TableFit.Content("Size", 10, false, false),
                new TableFit.Content("Options", 72, true, true));

        assertThat(TableFit.widths(columns, 3, 0)).containsExactly(20, 10, 72);
        assertThat(TableFit.widths(columns, 3, 108)).containsExactly(20, 10, 72);
        assertThat(TableFit.widths(columns, 3, 80)).containsExactly(20, 10, 44);
        assertThat(TableFit.widths(columns, 3, 50)).containsExactly(14, 10, 20);
        assertThat(TableFit.widths(columns, 3, 40)).containsExactly(20, 10);
        assertThat(TableFit.widths(columns, 3, 20)).containsExactly(20);
        assertThat(TableFit.widths(columns, 3, 5)).containsExactly(5);
    }
}
