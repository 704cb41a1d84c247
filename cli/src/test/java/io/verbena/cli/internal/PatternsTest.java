package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.text.Globs;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests patterns of names, and quantities. */
class PatternsTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "*.csv a.csv true",
                "*.csv .csv true",
                "*.csv acsv false",
                "a?c abc true",
                "a?c ac false",
                "[a-c]x bx true",
                "[a-c]x dx false",
                "[!a-c]x dx true",
                "[^a-c]x bx false",
                "[]x] ] true",
                "[!]x] ] false",
                "[a&&b] & true",
                "{a,b*}.c b12.c true",
                "{a,b*}.c x.c false",
                "a,b a,b true",
                "a} a} true",
                "\\*a *a true",
                "\\*a xa false",
                "a\\ a\\ true",
                "(a) (a) true",
                "a.c abc false",
                "größe* größe-✓ true"
            })
    void shouldMatchAsShellsDo(String glob, String name, boolean matches) {
        assertThat(Globs.pattern(glob).matcher(name).matches()).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a", "a{b", "[z-a]"})
    void shouldRefuseWhatIsNoPattern(String glob) {
        assertThatThrownBy(() -> Globs.pattern(glob))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'" + glob + "' is no pattern: it has a");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "4096, 4096", "1k, 1024", "64K, 65536", "2GiB, 2147483648", "7E, 8070450532247928832"})
    void shouldReadSizes(String text, long octets) {
        assertThat(Quantities.octets("-s", text)).isEqualTo(octets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "1X", "8E", "9999999999999999999", "1.5K"})
    void shouldRefuseOtherSizes(String text) {
        assertThatThrownBy(() -> Quantities.octets("-s", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("-s " + text + ": ");
    }

    @ParameterizedTest
    @CsvSource({
        "now, 2026-01-31T12:00:00Z",
        "2026-01-02, 2026-01-02T00:00:00Z",
        "2026-01-02T03:04, 2026-01-02T03:04:00Z",
        "2026-01-02T03:04:05, 2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05.5Z, 2026-01-02T03:04:05.5Z",
        "@1700000000, 2023-11-14T22:13:20Z",
        "@-1, 1969-12-31T23:59:59Z",
        "90s, 2026-01-31T11:58:30Z",
        "5m, 2026-01-31T11:55:00Z",
        "2h, 2026-01-31T10:00:00Z",
        "3d, 2026-01-28T12:00:00Z",
        "1w, 2026-01-24T12:00:00Z"
    })
    void shouldReadTimes(String text, String time) {
        assertThat(Quantities.time("-d", text, NOW)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "2026-13-01", "3", "3y", "12:00"})
    void shouldRefuseOtherTimes(String text) {
        assertThatThrownBy(() -> Quantities.time("-d", text, NOW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it is a time like");
    }

    @Test
    void shouldReadNumbersAndSeconds() {
        assertThat(Quantities.number("-n", "12")).isEqualTo(12);
        assertThat(Quantities.seconds("--wait", "0.25")).isEqualTo(Duration.ofMillis(250));
        assertThatThrownBy(() -> Quantities.number("-n", "x")).hasMessage("-n x: it is a whole number");
        assertThatThrownBy(() -> Quantities.seconds("--wait", "1s")).hasMessageContaining("number of seconds");
    }
}
