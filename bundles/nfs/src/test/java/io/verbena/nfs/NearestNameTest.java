package io.verbena.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestNameTest {
    @Test
    void shouldChooseTheFirstOfThoseThatTakeTheFewestChanges() {
        assertThat(NearestName.of("lss", List.of("mount", "ls", "less"))).contains("ls");
        assertThat(NearestName.of("lss", List.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--jsn, --json, true",
        "nfs:mont, nfs:mount, true",
        "lss, ls, true",
        "moun, mount, true",
        "nonsense, sed, false",
        "x, ls, false",
        "ab, ba, false"
    })
    void shouldFindThoseAlikeThatDifferInAThirdAtMost(String given, String name, boolean areAlike) {
        assertThat(NearestName.areAlike(given, name)).isEqualTo(areAlike);
    }
}
