package io.verbena.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DescriptionTest {
    /** dpkg and rpm take '-' for the start of a package's own revision, and '~' for what comes before the rest. */
    @Test
    void shouldSortASnapshotBeforeItsRelease() {
        assertThat(Built.description("1.0.0-SNAPSHOT").packageVersion()).isEqualTo("1.0.0~SNAPSHOT");
        assertThat(Built.description("1.0.0").packageVersion()).isEqualTo("1.0.0");
        assertThat(Built.description("1.0.0-rc-1").packageVersion()).isEqualTo("1.0.0~rc~1");
    }

    @Test
    void shouldNameThePageOnlyOfARelease() {
        assertThat(Built.description("1.0.0").page()).isEmpty();
        assertThat(Built.description("1.0.0", "https://verbena.example").page()).contains("https://verbena.example");
    }

    @Test
    void shouldHaveLinesForTerminals() {
        assertThat(Description.TEXT).allMatch(line -> line.length() < 80 && !line.isBlank());
        assertThat(Description.SUMMARY).hasSizeLessThan(80);
    }
}
